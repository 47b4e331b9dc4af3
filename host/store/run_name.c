/* host/store/run_name.c */
#include "host/store/run_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

void sl_run_name(uint64_t started_ms, uint64_t job, char out[SL_RUN_NAME_BYTES])
{
    char second[32];
    time_t seconds = (time_t)(started_ms / 1000);
    struct tm utc;
    gmtime_r(&seconds, &utc);
    strftime(second, sizeof(second), "%Y-%m-%d/%H%M%S", &utc);
    snprintf(out, SL_RUN_NAME_BYTES, "runs/%s.%03u-%" PRIu64, second, (unsigned)(started_ms % 1000),
             job);
}

uint64_t sl_run_name_job(const char *last)
{
    int end = 0;
    uint64_t job = 0;
    if (strspn(last, "0123456789") != 6 ||
        sscanf(last, "%*6[0-9].%*3[0-9]-%18" SCNu64 "%n", &job, &end) != 1 || last[end])
        return 0;
    return job;
}

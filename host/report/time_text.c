/* host/report/time_text.c */
#include "host/report/time_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "common/base/clock.h"

const char *sl_time_text(uint64_t ms, char out[SL_TIME_TEXT_BYTES])
{
    struct tm broken;
    time_t seconds = (time_t)(ms / 1000);
    if (ms == 0 || !localtime_r(&seconds, &broken) ||
        strftime(out, SL_TIME_TEXT_BYTES, "%Y-%m-%d %H:%M:%S", &broken) == 0)
        snprintf(out, SL_TIME_TEXT_BYTES, "-");
    return out;
}

const char *sl_span_text(uint64_t from_ms, uint64_t to_ms, char out[SL_TIME_TEXT_BYTES])
{
    if (to_ms == 0)
        to_ms = sl_clock_utc_ms();
    uint64_t span = to_ms > from_ms ? to_ms - from_ms : 0;
    if (from_ms == 0)
        snprintf(out, SL_TIME_TEXT_BYTES, "-");
    else if (span < 120000)
        snprintf(out, SL_TIME_TEXT_BYTES, "%.1f s", (double)span / 1000);
    else if (span < 7200000)
        snprintf(out, SL_TIME_TEXT_BYTES, "%" PRIu64 " min", span / 60000);
    else
        snprintf(out, SL_TIME_TEXT_BYTES, "%" PRIu64 " h", span / 3600000);
    return out;
}

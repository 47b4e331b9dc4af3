/* common/base/clock.c */
#include "common/base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static uint64_t read_clock(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

uint64_t sl_clock_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t sl_clock_with_sleep_ns(void)
{
#ifdef CLOCK_BOOTTIME
    return read_clock(CLOCK_BOOTTIME);
#else
    return sl_clock_ns();
#endif
}

uint64_t sl_clock_utc_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}

uint64_t sl_clock_utc_ms(void)
{
    return sl_clock_utc_ns() / 1000000;
}

/* The Gregorian date `days` after 1970-01-01, by eras of 400 years that begin in March (Howard
 * Hinnant's civil_from_days). gmtime_r() would read the system's time zones. */
static void date_of(uint32_t days, uint32_t *year, uint32_t *month, uint32_t *day)
{
    uint32_t shifted = days + 719468; /* since 0000-03-01 */
    uint32_t era = shifted / 146097, of_era = shifted % 146097;
    uint32_t years = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    uint32_t of_year = of_era - (365 * years + years / 4 - years / 100);
    uint32_t from_march = (5 * of_year + 2) / 153;
    *day = of_year - (153 * from_march + 2) / 5 + 1;
    *month = from_march < 10 ? from_march + 3 : from_march - 9;
    *year = years + era * 400 + (*month <= 2);
}

const char *sl_clock_format(uint64_t utc_ms, char *out)
{
    const uint64_t last = UINT64_C(253402300799999); /* the end of the year 9999 */
    uint64_t ms = utc_ms < last ? utc_ms : last;
    uint32_t year, month, day, of_day = (uint32_t)(ms % 86400000);
    char text[64];
    date_of((uint32_t)(ms / 86400000), &year, &month, &day);
    snprintf(text, sizeof(text),
             "%04" PRIu32 "-%02" PRIu32 "-%02" PRIu32 "T%02" PRIu32 ":%02" PRIu32 ":%02" PRIu32
             ".%03" PRIu32 "Z",
             year, month, day, of_day / 3600000, of_day / 60000 % 60, of_day / 1000 % 60,
             of_day % 1000);
    memcpy(out, text, SL_CLOCK_TEXT_BYTES);
    return out;
}

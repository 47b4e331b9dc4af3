/* host/cli/time_word.c */
#include "host/cli/time_word.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/base/error.h"

int sl_time_word(const char *text, const char *option, uint64_t *out_ms, struct sl_diag *diag)
{
    static const struct {
        char letter;
        uint64_t ms;
    } units[] = {{'m', 60000}, {'h', 3600000}, {'d', 86400000}, {'w', 604800000}};
    char *end = NULL;
    struct tm day = {.tm_isdst = -1};
    int used = 0;
    unsigned long long number = strtoull(text, &end, 10);
    uint64_t now = (uint64_t)time(NULL) * 1000, ms = 0;
    bool digits = text[0] >= '0' && text[0] <= '9' && number <= INT64_MAX;
    for (size_t i = 0; digits && i < sizeof(units) / sizeof(units[0]); i++) {
        if (end[0] == units[i].letter && !end[1] && number < now / units[i].ms)
            ms = now - number * units[i].ms;
    }
    if (ms == 0 &&
        sscanf(text, "%4d-%2d-%2d%n", &day.tm_year, &day.tm_mon, &day.tm_mday, &used) == 3 &&
        !text[used]) {
        day.tm_year -= 1900;
        day.tm_mon -= 1;
        time_t begin = mktime(&day);
        ms = begin > 0 ? (uint64_t)begin * 1000 : 0;
    } else if (ms == 0 && digits && !*end) {
        ms = number;
    }
    if (ms == 0) {
        sl_diag_hint(diag, "say %s 2h, %s 7d or %s 2026-11-21", option, option, option);
        return sl_diag_set(diag, SL_E_UNSUPPORTED, option, "'%.60s' is no time", text);
    }
    *out_ms = ms;
    return 0;
}

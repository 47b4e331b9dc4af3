/* host/spec/moment.c */
#include "host/spec/moment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"

#define DIGITS "0123456789"

enum { MAX_DIGITS = 5, MS = 1000 };

/* "2h": 0 for what is no such time. */
static uint64_t read_span(const char *text)
{
    static const struct {
        char letter;
        uint64_t seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 7 * 86400}};
    size_t digits = strspn(text, DIGITS);
    if (digits == 0 || digits > MAX_DIGITS || text[0] == '0' || !text[digits] || text[digits + 1])
        return 0;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (text[digits] == units[i].letter)
            return strtoull(text, NULL, 10) * units[i].seconds * MS;
    }
    return 0;
}

/* Does the text look as the form does, where 0 stands for any digit? */
static bool looks(const char *text, const char *form)
{
    size_t i = 0;
    while (form[i] && (form[i] == '0' ? text[i] && strchr(DIGITS, text[i]) : text[i] == form[i]))
        i++;
    return !form[i] && !text[i];
}

static unsigned number(const char *at, size_t digits)
{
    unsigned value = 0;
    for (size_t i = 0; i < digits; i++)
        value = 10 * value + (unsigned)(at[i] - '0');
    return value;
}

static unsigned days_in(unsigned year, unsigned month)
{
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 ? 28 + leap : 30 + (month + month / 8) % 2;
}

/* Since 1970 began; the calendar's own arithmetic, whatever the zone here. 0: no such time. */
static uint64_t read_time(const char *text)
{
    bool seconds = looks(text, "0000-00-00T00:00:00Z");
    if (!seconds && !looks(text, "0000-00-00T00:00Z"))
        return 0;
    unsigned year = number(text, 4), month = number(text + 5, 2), day = number(text + 8, 2),
             hour = number(text + 11, 2), minute = number(text + 14, 2),
             second = seconds ? number(text + 17, 2) : 0;
    if (year < 1970 || month < 1 || month > 12 || day < 1 || day > days_in(year, month) ||
        hour > 23 || minute > 59 || second > 59)
        return 0;
    uint64_t days = day - 1;
    for (unsigned y = 1970; y < year; y++)
        days += 337 + days_in(y, 2);
    for (unsigned m = 1; m < month; m++)
        days += days_in(year, m);
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * MS;
}

int sl_moment_read(const char *text, const char *where, uint64_t now_ms, uint64_t *out_ms,
                   struct sl_diag *diag)
{
    uint64_t span = read_span(text), at = span > 0 ? now_ms + span : read_time(text);
    if (at > now_ms) {
        *out_ms = at;
        return 0;
    }
    sl_diag_hint(diag, "say 30m, 2h or 7d from now, or a time in UTC such as 2026-11-27T22:00Z");
    return sl_diag_set(diag, SL_E_FORMAT, where,
                       at > 0 ? "'%.40s' has passed" : "'%.40s' is no time", text);
}

/* host/http/range.c */
#include "host/http/range.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

/* Digits at *at, which goes behind them. false: there are none, or too many. */
static bool take_number(const char **at, uint64_t *out)
{
    uint64_t number = 0;
    size_t digits = strspn(*at, "0123456789");
    if (digits == 0 || digits > 18)
        return false;
    for (size_t i = 0; i < digits; i++)
        number = number * 10 + (uint64_t)((*at)[i] - '0');
    *at += digits;
    *out = number;
    return true;
}

/* The last `count` bytes. */
static enum sl_http_range take_end(uint64_t count, uint64_t size, uint64_t *out_first,
                                   uint64_t *out_last)
{
    if (count == 0 || size == 0)
        return SL_HTTP_RANGE_NONE;
    *out_first = count < size ? size - count : 0;
    *out_last = size - 1;
    return SL_HTTP_RANGE_PART;
}

enum sl_http_range sl_http_range_read(const char *value, uint64_t size, uint64_t *out_first,
                                      uint64_t *out_last)
{
    static const char unit[] = "bytes=";
    uint64_t first = 0, last = UINT64_MAX;
    if (strncasecmp(value, unit, sizeof(unit) - 1) != 0)
        return SL_HTTP_RANGE_ALL;
    const char *at = value + sizeof(unit) - 1;
    bool has_first = take_number(&at, &first);
    if (*at++ != '-')
        return SL_HTTP_RANGE_ALL;
    bool has_last = take_number(&at, &last);
    if (*at || (!has_first && !has_last) || (has_first && has_last && last < first))
        return SL_HTTP_RANGE_ALL;
    if (!has_first)
        return take_end(last, size, out_first, out_last);
    if (first >= size)
        return SL_HTTP_RANGE_NONE;
    *out_first = first;
    *out_last = last < size ? last : size - 1;
    return SL_HTTP_RANGE_PART;
}

bool sl_http_tag_is_in(const char *list, const char *tag)
{
    size_t len = strlen(tag);
    if (strcmp(list, "*") == 0)
        return true;
    while (*list) {
        list += strspn(list, ", \t");
        if (strncmp(list, "W/", 2) == 0)
            list += 2;
        if (strncmp(list, tag, len) == 0 && (!list[len] || strchr(", \t", list[len])))
            return true;
        list += strcspn(list, ",");
    }
    return false;
}

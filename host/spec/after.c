/* host/spec/after.c */
#include "host/spec/after.h"

#include <stddef.h>
#include <string.h>

#include "common/base/error.h"

enum { MAX_DIGITS = 16 };

/* Moves on behind the number; 0: there is none. */
static uint64_t read_number(const char **at)
{
    uint64_t number = 0, group = **at == 'g' ? SL_AFTER_GROUP : 0;
    *at += group != 0;
    size_t digits = strspn(*at, "0123456789");
    if (digits == 0 || digits > MAX_DIGITS || **at == '0')
        return 0;
    for (; digits > 0; digits--)
        number = 10 * number + (uint64_t)(*(*at)++ - '0');
    return number | group;
}

int sl_after_read(const char *text, uint64_t out[SL_AFTER_MOST], struct sl_diag *diag)
{
    const char *at = text;
    int count = 0;
    if (!*text)
        return 0;
    for (; count < SL_AFTER_MOST && (out[count] = read_number(&at)) != 0; at++) {
        count++;
        if (!*at)
            return count;
        if (*at != ',')
            break;
    }
    sl_diag_hint(diag, "say the numbers of at most %d jobs or groups, such as 17,18 or 17,g5",
                 SL_AFTER_MOST);
    return sl_diag_set(diag, SL_E_FORMAT, "after", "'%.40s' is no list of jobs and groups", text);
}

/* common/base/run_id.c */
#include "common/base/run_id.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HALF_DIGITS = 16, MAX_DECIMAL = 20 };

bool sl_run_id_is_none(struct sl_run_id id)
{
    return id.high == 0 && id.low == 0;
}

bool sl_run_ids_equal(struct sl_run_id a, struct sl_run_id b)
{
    return a.high == b.high && a.low == b.low;
}

void sl_run_id_text(struct sl_run_id id, char out[SL_RUN_ID_TEXT])
{
    snprintf(out, SL_RUN_ID_TEXT, "%016" PRIx64 "%016" PRIx64, id.high, id.low);
}

static uint64_t read_half(const char *digits)
{
    char half[HALF_DIGITS + 1];
    memcpy(half, digits, HALF_DIGITS);
    half[HALF_DIGITS] = '\0';
    return strtoull(half, NULL, 16);
}

bool sl_run_id_read(const char *text, struct sl_run_id *out)
{
    struct sl_run_id id = {0, 0};
    size_t size = strnlen(text, SL_RUN_ID_TEXT), decimals = strspn(text, "0123456789");
    if (size == SL_RUN_ID_TEXT - 1 && strspn(text, "0123456789abcdef") == size) {
        id = (struct sl_run_id){read_half(text), read_half(text + HALF_DIGITS)};
    } else if (size <= MAX_DECIMAL && decimals == size && text[0] != '0') {
        errno = 0;
        id.low = strtoull(text, NULL, 10);
        if (errno != 0)
            return false;
    }
    if (sl_run_id_is_none(id))
        return false;
    *out = id;
    return true;
}

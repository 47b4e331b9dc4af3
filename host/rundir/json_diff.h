/* host/rundir/json_diff.h: where two JSON values differ. */
#pragma once

#include <stddef.h>

struct cJSON;

enum { SL_JSON_DIFF_POINTER_BYTES = 256 };

/* One difference: the place as a JSON pointer, and both values in words. */
typedef void (*sl_json_diff_fn)(void *user, const char *pointer, const char *said,
                                const char *found);

struct sl_json_diff {
    sl_json_diff_fn on_difference;
    void *user;
    size_t numbers;                           /* compared so far */
    char pointer[SL_JSON_DIFF_POINTER_BYTES]; /* where it is; at first what stands before all */
};

/* Compares what a file says with what was found. Numbers must be equal to the bit. */
void sl_json_diff(struct sl_json_diff *diff, const struct cJSON *said, const struct cJSON *found);

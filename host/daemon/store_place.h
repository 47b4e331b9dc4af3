/* host/daemon/store_place.h: where the store is, by the words of a person. Pure. */
#pragma once

#include <stddef.h>

struct sl_diag;

enum { SL_STORE_PLACE_BYTES = 1024 };

/* `wanted` is sqlite:PATH, a URL of PostgreSQL, or NULL: the file in the directory `state`. 0, or
 * -EINVAL with words that do not repeat it: it may have a password. */
int sl_store_place(const char *wanted, const char *state, char out[SL_STORE_PLACE_BYTES],
                   struct sl_diag *diag);

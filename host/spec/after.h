/* host/spec/after.h: the jobs that another comes after, as a text: "17,18". Pure. */
#pragma once

#include <stdint.h>

struct sl_diag;

enum { SL_AFTER_MOST = 8 }; /* numbers of 16 digits at most: they fit SL_AFTER_BYTES */

/* Returns how many; none for "". SL_E_FORMAT with words in `diag`. */
int sl_after_read(const char *text, uint64_t out[SL_AFTER_MOST], struct sl_diag *diag);

/* host/spec/after.h: the jobs and groups of jobs that another comes after, as a text: "17,g5".
 * Pure. */
#pragma once

#include <stdint.h>

struct sl_diag;

enum { SL_AFTER_MOST = 8 }; /* numbers of 16 digits at most: they fit SL_AFTER_BYTES */

/* This bit marks a number as a group's. */
#define SL_AFTER_GROUP (UINT64_C(1) << 63)

/* Returns how many; none for "". SL_E_FORMAT with words in `diag`. */
int sl_after_read(const char *text, uint64_t out[SL_AFTER_MOST], struct sl_diag *diag);

/* host/cli/time_word.h: a time in a user's words. */
#pragma once

#include <stdint.h>

struct sl_diag;

/* "30m", "2h", "7d" and "4w" before now, "2026-11-21" here, or Unix milliseconds: the last. 0 or
 * SL_E_UNSUPPORTED with `diag` set, which names the option. */
int sl_time_word(const char *text, const char *option, uint64_t *out_ms, struct sl_diag *diag);

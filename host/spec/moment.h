/* host/spec/moment.h: a time to come, in a user's words. Pure. */
#pragma once

#include <stdint.h>

struct sl_diag;

/* "90s", "30m", "2h", "7d" or "4w" from now, at most five digits; or a time in UTC:
 * "2026-11-27T22:00Z", "2026-11-27T22:00:30Z". SL_E_FORMAT with `diag` (may be NULL) set, about
 * `where`, also for a time that has passed. Unix milliseconds. */
int sl_moment_read(const char *text, const char *where, uint64_t now_ms, uint64_t *out_ms,
                   struct sl_diag *diag);

/* host/http/refusal.h: peers that get nothing, in the log: one line each, and never a flood. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SL_HTTP_REFUSALS_A_SECOND = 20 };

struct sl_http_refusals {
    uint64_t second; /* of the loop's clock, the one that `told` counts in */
    unsigned told;
    size_t untold;
};

/* Says why; `path` may be empty, `status` 0: it got no answer. What a peer chose cannot end the
 * line. */
void sl_http_refusal_tell(struct sl_http_refusals *refusals, uint64_t now_ms, int status,
                          const char *path, const char *reason);

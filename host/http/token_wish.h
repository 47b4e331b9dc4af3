/* host/http/token_wish.h: the body of POST /tokens: name, what it may do, and for how long. Pure:
 * bytes to fields. */
#pragma once

#include <stdint.h>

#include "common/base/bytes.h"
#include "host/records.h"

struct sl_diag;

struct sl_http_token_wish {
    char name[SL_NAME_BYTES];
    uint32_t scopes;       /* SL_SCOPE_ bits */
    uint32_t max_jobs;     /* open at a time; 0: any number */
    uint32_t expires_in_s; /* 0: never */
};

/* SL_E_FORMAT (not JSON, or not an object, or a key wrong), SL_E_LIMIT or -ENOMEM, with words. */
int sl_http_token_wish_read(struct sl_bytes body, struct sl_http_token_wish *out,
                            struct sl_diag *diag);

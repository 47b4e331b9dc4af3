/* host/http/submission.h: what POST /jobs brings. Pure: bytes to fields. */
#pragma once

#include <stdint.h>

#include "common/base/bytes.h"
#include "host/records.h"

struct sl_diag;

struct sl_http_submission {
    char selector[SL_SELECTOR_BYTES]; /* the key "device", "" for any */
    int32_t priority;
};

/* The body is the configuration of an experiment; two of its keys say where and when. SL_E_FORMAT
 * (not JSON, or not an object, or these keys wrong), SL_E_LIMIT or -ENOMEM, with words. */
int sl_http_submission_read(struct sl_bytes body, struct sl_http_submission *out,
                            struct sl_diag *diag);

/* The body of POST /tokens: name, role and for how long. */
struct sl_http_token_wish {
    char name[SL_NAME_BYTES];
    int role;              /* enum sl_token_role */
    uint32_t expires_in_s; /* 0: never */
};
int sl_http_token_wish_read(struct sl_bytes body, struct sl_http_token_wish *out,
                            struct sl_diag *diag);

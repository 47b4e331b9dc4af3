/* host/http/rate.h: how often each name may do a thing in a second: a token send a request, an
 * address begin a handshake of TLS. Pure: the caller tells the time. Each name has a bucket that
 * fills evenly and holds a second's worth. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "host/http/auth.h"
#include "host/records.h"

enum { SL_HTTP_RATE_NAMES = SL_AUTH_MAX_TOKENS }; /* removed ones make room, idle longest first */

struct sl_http_rate {
    unsigned per_second; /* 0: any number */
    struct sl_http_rate_bucket {
        char name[SL_NAME_BYTES];
        double left;    /* of per_second */
        uint64_t at_ms; /* when that was so */
    } buckets[SL_HTTP_RATE_NAMES];
    size_t count;
};

/* Takes one of `name` out of its bucket: 0. Or in how many milliseconds there is one again;
 * then it takes nothing. `now_ms` does not go backwards. */
uint64_t sl_http_rate_wait(struct sl_http_rate *rate, const char *name, uint64_t now_ms);

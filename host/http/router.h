/* host/http/router.h: which function answers which method of which path. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/http/exchange.h"

enum sl_http_body {
    SL_HTTP_BODY_NONE,
    SL_HTTP_BODY_JSON,   /* collected, then the handler is called */
    SL_HTTP_BODY_STREAM, /* the handler is called first and takes it piece by piece */
};

struct sl_http_route {
    int method;          /* one of enum sl_http_method; GET answers HEAD too */
    const char *pattern; /* "{}" stands for one segment, "{*}" at the end for all that follow */
    uint32_t scopes;     /* SL_SCOPE_ bits, of which it takes one; 0: anyone */
    int body;            /* enum sl_http_body */
    void (*handler)(struct sl_http_exchange *exchange);
};

/* The route of method and path, its parameters in `param`. NULL: *out_methods says which methods
 * the path has; 0: no such path. */
const struct sl_http_route *sl_http_route(const struct sl_http_route *routes, size_t count,
                                          int method, const char *path,
                                          char param[2][SL_HTTP_PARAM_BYTES], int *out_methods);
/* The same in the table of this program. */
const struct sl_http_route *sl_http_find_route(int method, const char *path,
                                               char param[2][SL_HTTP_PARAM_BYTES],
                                               int *out_methods);

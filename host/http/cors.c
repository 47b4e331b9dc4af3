/* host/http/cors.c */
#include "host/http/cors.h"

#include <string.h>

#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/reply.h"
#include "host/spec/web_origin.h"

enum { MAX_AGE_S = 600 };

/* NULL: its Origin is not listed, or not there just once. It is compared and never sent back. */
static const char *listed_origin(const struct sl_http_exchange *exchange)
{
    const struct sl_web_origins *origins = &exchange->http->origins;
    char origin[SL_WEB_ORIGIN_BYTES];
    if (sl_http_header(exchange, "origin", origin, sizeof(origin)) < 0)
        return NULL;
    for (size_t i = 0; i < origins->count; i++) {
        if (strcmp(origins->texts[i], origin) == 0)
            return origins->texts[i];
    }
    return NULL;
}

void sl_http_cors_begin(struct sl_http_exchange *exchange)
{
    if (exchange->http->origins.count == 0)
        return;
    const char *origin = listed_origin(exchange);
    sl_http_reply_header(exchange, "vary", "origin");
    if (!origin)
        return;
    sl_http_reply_header(exchange, "access-control-allow-origin", "%s", origin);
    sl_http_reply_header(exchange, "access-control-expose-headers",
                         "content-range, etag, location, retry-after, upload-offset");
}

bool sl_http_cors_preflight(struct sl_http_exchange *exchange, const char *allow)
{
    char method[SL_HTTP_VALUE_BYTES];
    if (strcmp(exchange->head.method, "OPTIONS") != 0 || !listed_origin(exchange) ||
        sl_http_header(exchange, "access-control-request-method", method, sizeof(method)) < 0 ||
        !method[0])
        return false;
    sl_http_reply_header(exchange, "access-control-allow-methods", "%s", allow);
    sl_http_reply_header(exchange, "access-control-allow-headers",
                         "authorization, content-type, idempotency-key, if-none-match, if-range, "
                         "last-event-id, range, upload-offset");
    sl_http_reply_header(exchange, "access-control-max-age", "%d", MAX_AGE_S);
    sl_http_reply_empty(exchange, 204, 0);
    return true;
}

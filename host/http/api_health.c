/* host/http/api_health.c: /healthz, /readyz and the description of the interface. */
#include "common/base/buf.h"
#include "host/http/api.h"
#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/reply.h"
#include "host/job/keeper.h"
#include "host/job/lab.h"
#include "host/store/store.h"

extern const unsigned char sl_openapi_yaml[];
extern const unsigned long sl_openapi_yaml_size;

static void reply_text(struct sl_http_exchange *exchange, const char *type, const void *text,
                       size_t len)
{
    struct sl_buf body;
    sl_buf_init(&body, len);
    int rc = sl_buf_append(&body, text, len);
    if (rc < 0)
        sl_http_problem_of(exchange, rc, NULL);
    else
        sl_http_reply_buf(exchange, 200, type, &body);
}

void sl_api_healthz(struct sl_http_exchange *exchange)
{
    static const char text[] = "{\"status\":\"alive\",\"version\":\"" SL_VERSION "\"}";
    reply_text(exchange, "application/json", text, sizeof(text) - 1);
}

/* The store has answered a question just now, and the tokens are read. */
static void on_store(void *user, int rc, const struct sl_token_record *rows, size_t count)
{
    static const char text[] = "{\"status\":\"ready\"}";
    struct sl_http_exchange *exchange = user;
    (void)rows;
    (void)count;
    if (!sl_http_exchange_settle(exchange))
        return;
    if (sl_http_store_problem(exchange))
        return;
    char why[SL_KEEPER_WHY_BYTES];
    if (exchange->http->keeper && sl_keeper_is_full(exchange->http->keeper, 0, why)) {
        sl_http_problem(exchange, 503, "disk-full", sl_http_room_hint, "nothing is taken in: %s",
                        why);
        return;
    }
    if (sl_http_directory_problem(exchange))
        return;
    if (exchange->http->draining) {
        sl_http_problem(exchange, 503, "shutting-down", "send jobs elsewhere, or try again later",
                        "the daemon ends with the jobs that run");
        return;
    }
    if (rc < 0 || !exchange->http->auth.loaded)
        sl_http_problem(exchange, 503, "not-ready", "read the daemon's log",
                        "the store does not answer");
    else
        reply_text(exchange, "application/json", text, sizeof(text) - 1);
}

void sl_api_readyz(struct sl_http_exchange *exchange)
{
    sl_http_exchange_owe(exchange);
    int rc = sl_store_list_tokens(sl_lab_store(exchange->http->lab), on_store, exchange);
    if (rc < 0)
        on_store(exchange, rc, NULL, 0);
}

void sl_api_openapi(struct sl_http_exchange *exchange)
{
    reply_text(exchange, "application/yaml", sl_openapi_yaml, sl_openapi_yaml_size);
}

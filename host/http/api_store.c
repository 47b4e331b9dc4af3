/* host/http/api_store.c: /api/v1/store/check: the store beside its files, for admins. */
#include "common/base/json.h"
#include "host/http/api.h"
#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/record_json.h"
#include "host/http/reply.h"
#include "host/job/lab.h"
#include "host/store/store.h"

enum { MAX_LIST_BYTES = 16 << 20 };

static void on_findings(void *user, int rc, const struct sl_store_finding *rows, size_t count,
                        uint64_t more)
{
    struct sl_http_exchange *exchange = user;
    struct sl_http_json text;
    if (!sl_http_reply_due(exchange, rc))
        return;
    sl_http_json_begin(&text, MAX_LIST_BYTES);
    sl_json_open_object(&text.json, NULL);
    sl_json_open_array(&text.json, "findings");
    for (size_t i = 0; i < count; i++)
        sl_json_of_finding(&text.json, &rows[i]);
    sl_json_close_array(&text.json);
    sl_json_u64(&text.json, "more", more);
    sl_json_close_object(&text.json);
    sl_http_reply_json(exchange, 200, &text);
}

static void check(struct sl_http_exchange *exchange, bool mend)
{
    struct sl_store_check wish = {.mend = mend};
    if (!sl_http_query_number(exchange, "free_before", &wish.free_before_ms)) {
        sl_http_problem(exchange, 400, "bad-query", "it is milliseconds of Unix time",
                        "free_before is a number");
        return;
    }
    sl_http_exchange_owe(exchange);
    int rc = sl_store_check(sl_lab_store(exchange->http->lab), &wish, on_findings, exchange);
    if (rc < 0 && sl_http_exchange_settle(exchange))
        sl_http_problem_of(exchange, rc, NULL);
}

void sl_api_store_look(struct sl_http_exchange *exchange)
{
    check(exchange, false);
}

void sl_api_store_mend(struct sl_http_exchange *exchange)
{
    check(exchange, true);
}

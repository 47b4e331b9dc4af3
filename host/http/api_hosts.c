/* host/http/api_hosts.c: /api/v1/hosts: the daemons that share the store. */
#include <stdbool.h>
#include <string.h>

#include "common/base/json.h"
#include "host/http/api.h"
#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/record_json.h"
#include "host/http/reply.h"
#include "host/job/lab.h"
#include "host/store/store.h"

enum { MAX_LIST_BYTES = 1 << 20 };

static void on_hosts(void *user, int rc, const struct sl_host_record *rows, size_t count,
                     uint64_t now_ms)
{
    struct sl_http_exchange *exchange = user;
    struct sl_http_json text;
    if (!sl_http_reply_due(exchange, rc))
        return;
    const struct sl_store_host *own = sl_store_host_of(sl_lab_store(exchange->http->lab));
    sl_http_json_begin(&text, MAX_LIST_BYTES);
    sl_json_open_object(&text.json, NULL);
    sl_json_open_array(&text.json, "hosts");
    for (size_t i = 0; i < count; i++)
        sl_json_of_host(&text.json, &rows[i], strcmp(rows[i].name, own->name) == 0,
                        rows[i].seen_ms + own->lease_ms >= now_ms);
    sl_json_close_array(&text.json);
    sl_json_close_object(&text.json);
    sl_http_reply_json(exchange, 200, &text);
}

void sl_api_host_list(struct sl_http_exchange *exchange)
{
    sl_http_exchange_owe(exchange);
    int rc = sl_store_list_hosts(sl_lab_store(exchange->http->lab), on_hosts, exchange);
    if (rc < 0 && sl_http_exchange_settle(exchange))
        sl_http_problem_of(exchange, rc, NULL);
}

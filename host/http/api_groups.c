/* host/http/api_groups.c: /api/v1/groups and below. */
#include <inttypes.h>
#include <stdio.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "host/http/api.h"
#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/paging.h"
#include "host/http/record_json.h"
#include "host/http/reply.h"
#include "host/job/lab.h"
#include "host/store/store.h"

enum { MAX_GROUP_BYTES = 4096 };

static void on_added(void *user, int rc, uint64_t id)
{
    struct sl_http_exchange *exchange = user;
    struct sl_http_json text;
    if (!sl_http_reply_due(exchange, rc))
        return;
    sl_http_json_begin(&text, MAX_GROUP_BYTES);
    sl_json_open_object(&text.json, NULL);
    sl_json_u64(&text.json, "id", id);
    sl_json_close_object(&text.json);
    sl_http_reply_header(exchange, "location", "/api/v1/groups/%" PRIu64, id);
    sl_http_reply_json(exchange, 201, &text);
}

void sl_api_group_post(struct sl_http_exchange *exchange)
{
    struct sl_group_record group = {.created_ms = sl_clock_utc_ms()};
    int rc = sl_http_query(exchange, "name", group.name, sizeof(group.name));
    if (rc < 0 || group.name[0] == '\0') {
        sl_http_problem(exchange, 400, "bad-query", "say ?name=nightly",
                        "a group has a name of 1 to %d bytes, without control characters",
                        (int)sizeof(group.name) - 1);
        return;
    }
    snprintf(group.owner, sizeof(group.owner), "%s", exchange->who.name);
    sl_http_exchange_owe(exchange);
    rc = sl_store_add_group(sl_lab_store(exchange->http->lab), &group, on_added, exchange);
    if (rc < 0 && sl_http_exchange_settle(exchange))
        sl_http_problem_of(exchange, rc, NULL);
}

static void on_groups(void *user, int rc, const struct sl_group_record *rows, size_t count,
                      uint64_t next_cursor)
{
    struct sl_http_exchange *exchange = user;
    struct sl_http_json text;
    if (!sl_http_reply_due(exchange, rc))
        return;
    sl_http_page_begin(&text, "groups");
    for (size_t i = 0; i < count; i++)
        sl_json_of_group(&text.json, NULL, &rows[i]);
    sl_http_page_end(exchange, &text, next_cursor);
}

void sl_api_group_list(struct sl_http_exchange *exchange)
{
    struct sl_groups_filter filter = {0};
    if (!sl_http_page(exchange, &filter.cursor, &filter.limit))
        return;
    sl_http_exchange_owe(exchange);
    int rc = sl_store_list_groups(sl_lab_store(exchange->http->lab), &filter, on_groups, exchange);
    if (rc < 0 && sl_http_exchange_settle(exchange))
        sl_http_problem_of(exchange, rc, NULL);
}

static void on_group(void *user, int rc, const struct sl_group_record *rows, size_t count,
                     uint64_t next_cursor)
{
    struct sl_http_exchange *exchange = user;
    struct sl_http_json text;
    (void)next_cursor;
    if (!sl_http_reply_due(exchange, rc == 0 && count == 0 ? SL_E_NOT_FOUND : rc))
        return;
    sl_http_json_begin(&text, MAX_GROUP_BYTES);
    sl_json_of_group(&text.json, NULL, rows);
    sl_http_reply_json(exchange, 200, &text);
}

static void get_group(struct sl_http_exchange *exchange, sl_store_groups_fn done)
{
    struct sl_groups_filter filter = {.limit = 1};
    if (!sl_http_id(exchange, &filter.id))
        return;
    sl_http_exchange_owe(exchange);
    int rc = sl_store_list_groups(sl_lab_store(exchange->http->lab), &filter, done, exchange);
    if (rc < 0 && sl_http_exchange_settle(exchange))
        sl_http_problem_of(exchange, rc, NULL);
}

void sl_api_group_get(struct sl_http_exchange *exchange)
{
    get_group(exchange, on_group);
}

/* It is told as it was when its jobs were cancelled: those that run end one by one. */
static void on_group_to_cancel(void *user, int rc, const struct sl_group_record *rows, size_t count,
                               uint64_t next_cursor)
{
    struct sl_http_exchange *exchange = user;
    bool found = rc == 0 && count > 0;
    if (found && !sl_http_may_cancel(exchange, rows->owner)) {
        if (sl_http_exchange_settle(exchange))
            sl_http_problem(
                exchange, 403, "not-yours", "ask its owner, or for a token of that scope",
                "group %" PRIu64 " is another's; this takes the scope cancel-any", rows->id);
        return;
    }
    if (found && exchange->turn.connection)
        rc = sl_lab_cancel_group(exchange->http->lab, rows->id);
    on_group(user, rc, rows, count, next_cursor);
}

void sl_api_group_delete(struct sl_http_exchange *exchange)
{
    get_group(exchange, on_group_to_cancel);
}

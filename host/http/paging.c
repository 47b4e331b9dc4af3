/* host/http/paging.c */
#include "host/http/paging.h"

#include <string.h>

#include "common/base/json.h"
#include "host/http/exchange.h"
#include "host/http/reply.h"
#include "host/store/store.h"

enum { PAGE_ROWS = 50, MAX_PAGE_BYTES = 4 << 20 };

bool sl_http_page(struct sl_http_exchange *exchange, uint64_t *out_cursor, uint32_t *out_limit)
{
    uint64_t from = 0, rows = PAGE_ROWS;
    if (!sl_http_query_number(exchange, "cursor", &from)) {
        sl_http_problem(exchange, 400, "bad-query", "take it from next_cursor of the page before",
                        "the cursor is not one of this list");
        return false;
    }
    if (!sl_http_query_number(exchange, "limit", &rows) || rows < 1 || rows > SL_STORE_PAGE_ROWS) {
        sl_http_problem(exchange, 400, "bad-query", "", "limit is a number from 1 to %d",
                        (int)SL_STORE_PAGE_ROWS);
        return false;
    }
    *out_cursor = from;
    *out_limit = (uint32_t)rows;
    return true;
}

bool sl_http_group(struct sl_http_exchange *exchange, uint64_t *out_group)
{
    uint64_t group = 0;
    bool named = sl_http_query_names(exchange, "group");
    if (!sl_http_query_number(exchange, "group", &group) || (named && group == 0)) {
        sl_http_problem(exchange, 400, "bad-query", "GET /api/v1/groups lists them",
                        "group is not the number of one");
        return false;
    }
    *out_group = group;
    return true;
}

bool sl_http_may_cancel(const struct sl_http_exchange *exchange, const char *owner)
{
    return (exchange->who.scopes & SL_SCOPE_CANCEL_ANY) ||
           (exchange->who.name[0] && strcmp(exchange->who.name, owner) == 0);
}

bool sl_http_id(struct sl_http_exchange *exchange, const char *what, uint64_t *out_id)
{
    if (sl_http_number(exchange->param[0], out_id) && *out_id > 0 && *out_id <= INT64_MAX)
        return true;
    sl_http_problem(exchange, 404, "not-found", "", "'%.80s' is no id of a %s", exchange->param[0],
                    what);
    return false;
}

void sl_http_page_begin(struct sl_http_json *text, const char *name)
{
    sl_http_json_begin(text, MAX_PAGE_BYTES);
    sl_json_open_object(&text->json, NULL);
    sl_json_open_array(&text->json, name);
}

void sl_http_page_end(struct sl_http_exchange *exchange, struct sl_http_json *text,
                      uint64_t next_cursor)
{
    sl_json_close_array(&text->json);
    if (next_cursor != 0)
        sl_json_u64(&text->json, "next_cursor", next_cursor);
    else
        sl_json_null(&text->json, "next_cursor");
    sl_json_close_object(&text->json);
    sl_http_reply_json(exchange, 200, text);
}

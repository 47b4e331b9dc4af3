/* host/http/paging.c */
#include "host/http/paging.h"

#include <stdio.h>
#include <string.h>

#include "common/base/json.h"
#include "host/http/exchange.h"
#include "host/http/reply.h"
#include "host/spec/names.h"
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

bool sl_http_jobs_filter(struct sl_http_exchange *exchange, struct sl_jobs_filter *out)
{
    char state[32];
    *out = (struct sl_jobs_filter){.state = -1};
    int rc = sl_http_query(exchange, "state", state, sizeof(state));
    bool named = sl_http_query_names(exchange, "state");
    if (rc == 0 && named)
        out->state = sl_job_state_of_name(state);
    if (rc < 0 || (named && out->state < 0)) {
        sl_http_problem(exchange, 400, "bad-query", "queued, running, done, failed or cancelled",
                        "'%s' is no state of a job", state);
        return false;
    }
    return sl_http_group(exchange, &out->group) &&
           sl_http_page(exchange, &out->cursor, &out->limit);
}

/* label=KEY=VALUE; without it all fit. */
static bool read_label(struct sl_http_exchange *exchange, struct sl_runs_filter *filter)
{
    char text[SL_NAME_BYTES + SL_LABEL_BYTES];
    if (!sl_http_query_names(exchange, "label"))
        return true;
    if (sl_http_query(exchange, "label", text, sizeof(text)) < 0)
        return false;
    const char *equals = strchr(text, '=');
    size_t len = equals ? (size_t)(equals - text) : 0;
    if (len == 0 || len >= sizeof(filter->label) || strlen(equals + 1) >= sizeof(filter->value))
        return false;
    memcpy(filter->label, text, len);
    snprintf(filter->value, sizeof(filter->value), "%s", equals + 1);
    return true;
}

bool sl_http_runs_filter(struct sl_http_exchange *exchange, struct sl_runs_filter *out)
{
    *out = (struct sl_runs_filter){0};
    if (sl_http_query(exchange, "model", out->model, sizeof(out->model)) < 0 ||
        sl_http_query(exchange, "device", out->device, sizeof(out->device)) < 0) {
        sl_http_problem(exchange, 400, "bad-query", "", "a name has %d bytes at most",
                        SL_NAME_BYTES - 1);
        return false;
    }
    if (!sl_http_query_number(exchange, "since", &out->since_ms) ||
        !sl_http_query_number(exchange, "job", &out->job)) {
        sl_http_problem(exchange, 400, "bad-query", "since is milliseconds of Unix time",
                        "since and job are numbers");
        return false;
    }
    if (!read_label(exchange, out)) {
        sl_http_problem(exchange, 400, "bad-query", "say label=branch=main",
                        "a label is a key of at most %d bytes, '=' and a value of at most %d",
                        SL_NAME_BYTES - 1, SL_LABEL_BYTES - 1);
        return false;
    }
    return sl_http_page(exchange, &out->cursor, &out->limit);
}

bool sl_http_series_filter(struct sl_http_exchange *exchange, struct sl_runs_filter *out)
{
    const char *id = exchange->param[0];
    *out = (struct sl_runs_filter){.limit = SL_STORE_PAGE_ROWS};
    if (strlen(id) == SL_SERIES_BYTES - 1 &&
        strspn(id, "0123456789abcdef") == SL_SERIES_BYTES - 1) {
        memcpy(out->series, id, SL_SERIES_BYTES);
        return true;
    }
    sl_http_problem_absent(exchange);
    return false;
}

bool sl_http_may_cancel(const struct sl_http_exchange *exchange, const char *owner)
{
    return (exchange->who.scopes & SL_SCOPE_CANCEL_ANY) ||
           (exchange->who.name[0] && strcmp(exchange->who.name, owner) == 0);
}

bool sl_http_id(struct sl_http_exchange *exchange, uint64_t *out_id)
{
    if (sl_http_number(exchange->param[0], out_id) && *out_id > 0 && *out_id <= INT64_MAX)
        return true;
    sl_http_problem_absent(exchange);
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

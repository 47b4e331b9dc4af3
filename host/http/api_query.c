/* host/http/api_query.c: POST /api/v1/query: questions in SQL, off the loop. */
#include <errno.h>
#include <string.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/http/api.h"
#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/reply.h"
#include "host/job/lab.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_read.h"
#include "host/store/query.h"
#include "host/store/store.h"

enum { MAX_AT_ONCE = 2 }; /* the loop's other work has threads of its pool too */

#define MAX_ANSWER_BYTES ((size_t)64 << 20)

/* From the body to the answer. */
struct asking {
    uv_work_t work;
    struct sl_http_exchange *exchange;
    struct cJSON *document; /* owned; the query's words are in it */
    struct sl_query query;
    struct sl_http_json text;
    struct sl_diag diag;
    int rc;
};

static void asking_free(struct asking *asking)
{
    sl_json_doc_free(asking->document);
    sl_buf_fini(&asking->text.body);
    sl_free(asking);
}

static void ask(uv_work_t *work)
{
    struct asking *asking = work->data;
    struct sl_json *json = &asking->text.json;
    sl_json_open_object(json, NULL);
    asking->rc = sl_store_query(sl_lab_store(asking->exchange->http->lab), &asking->query, json,
                                &asking->diag);
    sl_json_close_object(json);
}

static void after_asking(uv_work_t *work, int status)
{
    struct asking *asking = work->data;
    struct sl_http_exchange *exchange = asking->exchange;
    int rc = status < 0 ? status : asking->rc;
    exchange->http->queries--;
    if (sl_http_exchange_settle(exchange)) {
        if (rc == -ETIMEDOUT)
            sl_http_problem(exchange, 422, "too-long", asking->diag.hint, "%s: %s",
                            asking->diag.where, asking->diag.what);
        else if (rc < 0)
            sl_http_problem_of(exchange, rc, &asking->diag);
        else
            sl_http_reply_json(exchange, 200, &asking->text);
    }
    asking_free(asking);
}

static int read_query(struct asking *asking)
{
    static const char *const keys[] = {"sql", "rows"};
    struct sl_query *query = &asking->query;
    int rc = sl_http_body_json(asking->exchange, &asking->document, &asking->diag);
    if (rc < 0)
        return rc;
    struct sl_json_reader reader = {.diag = &asking->diag};
    struct sl_json_at root = sl_json_root(&reader, asking->document);
    struct sl_json_at sql = sl_json_member(&root, "sql");
    sl_json_need_object(&root, keys, sizeof(keys) / sizeof(keys[0]), 1);
    query->sql = sl_json_get_text(sql);
    if (query->sql && strlen(query->sql) > SL_QUERY_MAX_SQL_BYTES)
        sl_json_refuse(&sql, "This is a SELECT of at most %d bytes", (int)SL_QUERY_MAX_SQL_BYTES);
    sl_json_get_integer(sl_json_member(&root, "rows"), 1, SL_QUERY_MAX_ROWS, &query->max_rows);
    return reader.error;
}

void sl_api_query(struct sl_http_exchange *exchange)
{
    struct sl_http *http = exchange->http;
    struct asking *asking = http->queries < MAX_AT_ONCE ? sl_calloc(1, sizeof(*asking)) : NULL;
    if (!asking) {
        sl_http_problem(exchange, 503, "busy", "", "%d queries are under way already",
                        (int)http->queries);
        return;
    }
    asking->exchange = exchange;
    asking->work.data = asking;
    asking->query = (struct sl_query){.max_rows = SL_QUERY_DEFAULT_ROWS,
                                      .max_ms = SL_QUERY_MAX_MS,
                                      .with_audit = exchange->who.scopes & SL_SCOPE_ADMIN};
    sl_http_json_begin(&asking->text, MAX_ANSWER_BYTES);
    int rc = read_query(asking);
    if (rc == 0) {
        sl_http_exchange_owe(exchange);
        http->queries++;
        rc = uv_queue_work(http->loop, &asking->work, ask, after_asking);
        if (rc == 0)
            return;
        http->queries--;
        sl_http_exchange_settle(exchange);
    }
    sl_http_problem_of(exchange, rc, &asking->diag);
    asking_free(asking);
}

/* host/http/api_store.c: /api/v1/store/check and /api/v1/store/data: the store beside its files,
 * and the bytes of the blobs, for admins. */
#include <errno.h>
#include <string.h>

#include <uv.h>

#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/http/api.h"
#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/record_json.h"
#include "host/http/reply.h"
#include "host/job/lab.h"
#include "host/store/blob_check.h"
#include "host/store/store.h"

/* A step through the blobs has one of the few worker threads for so long, and to the end of a blob.
 */
enum { MAX_LIST_BYTES = 16 << 20, STEP_MS = 2000 };

/* Begins an object with the list. */
static void put_findings(struct sl_http_json *text, const struct sl_store_finding *rows,
                         size_t count)
{
    sl_http_json_begin(text, MAX_LIST_BYTES);
    sl_json_open_object(&text->json, NULL);
    sl_json_open_array(&text->json, "findings");
    for (size_t i = 0; i < count; i++)
        sl_json_of_finding(&text->json, &rows[i]);
    sl_json_close_array(&text->json);
}

static void on_findings(void *user, int rc, const struct sl_store_finding *rows, size_t count,
                        uint64_t more)
{
    struct sl_http_exchange *exchange = user;
    struct sl_http_json text;
    if (!sl_http_reply_due(exchange, rc))
        return;
    put_findings(&text, rows, count);
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

/* --- the bytes of blobs --- */

struct reading {
    uv_work_t work;
    struct sl_http_exchange *exchange;
    struct sl_blobs blobs;
    struct sl_blob_check check;
    int rc;
};

static void do_read(uv_work_t *work)
{
    struct reading *reading = work->data;
    reading->rc = sl_blob_check(&reading->blobs, &reading->check);
}

static void answer_read(struct sl_http_exchange *exchange, const struct sl_blob_check *check)
{
    struct sl_http_json text;
    put_findings(&text, check->found.rows, check->found.count);
    sl_json_u64(&text.json, "files", check->files);
    sl_json_u64(&text.json, "bytes", check->bytes);
    sl_json_text(&text.json, "next", check->next[0] ? check->next : NULL);
    sl_json_close_object(&text.json);
    sl_http_reply_json(exchange, 200, &text);
}

static void after_read(uv_work_t *work, int status)
{
    struct reading *reading = work->data;
    reading->exchange->http->reading_blobs = false;
    if (sl_http_reply_due(reading->exchange, status < 0 ? status : reading->rc))
        answer_read(reading->exchange, &reading->check);
    sl_findings_fini(&reading->check.found);
    sl_free(reading);
}

static void start_reading(struct sl_http_exchange *exchange, const struct sl_blob_check *check)
{
    struct sl_http *http = exchange->http;
    struct reading *reading = sl_calloc(1, sizeof(*reading));
    int rc = -ENOMEM;
    if (reading) {
        *reading = (struct reading){.exchange = exchange, .blobs = http->blobs, .check = *check};
        reading->work.data = reading;
        rc = uv_queue_work(http->loop, &reading->work, do_read, after_read);
    }
    if (rc < 0) {
        sl_free(reading);
        sl_http_problem_of(exchange, rc, NULL);
        return;
    }
    http->reading_blobs = true;
    sl_http_exchange_owe(exchange);
}

static void read_blobs(struct sl_http_exchange *exchange, bool mend)
{
    struct sl_blob_check check = {
        .mend = mend, .most_ms = STEP_MS, .stop = &exchange->http->stop_reading};
    int len = sl_http_query(exchange, "after", check.after, sizeof(check.after));
    if (len < 0 || (check.after[0] && !sl_blobs_name_ok(check.after)))
        sl_http_problem(exchange, 400, "bad-query", "take it from \"next\" of the last answer",
                        "after is no SHA-256 of 64 lower-case digits");
    else if (exchange->http->reading_blobs)
        sl_http_problem(exchange, 503, "busy", "ask again later",
                        "another request reads the blobs already");
    else if (!sl_http_directory_problem(exchange))
        start_reading(exchange, &check);
}

void sl_api_data_look(struct sl_http_exchange *exchange)
{
    read_blobs(exchange, false);
}

void sl_api_data_mend(struct sl_http_exchange *exchange)
{
    read_blobs(exchange, true);
}

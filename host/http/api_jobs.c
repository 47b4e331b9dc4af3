/* host/http/api_jobs.c: /api/v1/jobs and below. */
#include <errno.h>
#include <inttypes.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "host/http/api.h"
#include "host/http/exchange.h"
#include "host/http/internal.h"
#include "host/http/live.h"
#include "host/http/paging.h"
#include "host/http/record_json.h"
#include "host/http/reply.h"
#include "host/job/lab.h"
#include "host/spec/job_body.h"
#include "host/spec/names.h"
#include "host/spec/spec.h"
#include "host/store/store.h"

enum { MAX_LIST_BYTES = 4 << 20 };

static void on_submitted(void *user, int rc, uint64_t job)
{
    struct sl_http_exchange *exchange = user;
    struct sl_http_json text;
    if (rc == SL_E_MISMATCH) {
        if (sl_http_exchange_settle(exchange))
            sl_http_problem(exchange, 409, "key-reused", "take a new key for another job",
                            "this Idempotency-Key came with another body before");
        return;
    }
    if (!sl_http_reply_due(exchange, rc))
        return;
    sl_http_json_begin(&text, 1024);
    sl_json_open_object(&text.json, NULL);
    sl_json_u64(&text.json, "id", job);
    sl_json_close_object(&text.json);
    sl_http_reply_header(exchange, "location", "/api/v1/jobs/%" PRIu64, job);
    sl_http_reply_json(exchange, 201, &text);
}

static void refuse_submission(struct sl_http_exchange *exchange, int rc, struct sl_diag *diag)
{
    if (rc == SL_E_NOT_FOUND) /* a device or a blob that the body names: the path is right */
        sl_http_problem(exchange, 422, "unknown-name",
                        diag->hint[0] ? diag->hint : "GET /api/v1/devices; PUT the blobs first",
                        "%s: %s", diag->where, diag->what);
    else if (rc == SL_E_FULL)
        sl_http_problem(exchange, 429, "queue-full", "send it again later", "%s",
                        diag->what[0] ? diag->what : "the queue of jobs is full");
    else
        sl_http_problem_of(exchange, rc, diag);
}

void sl_api_job_post(struct sl_http_exchange *exchange)
{
    struct sl_spec spec;
    struct sl_diag diag = {0};
    char key[SL_HTTP_VALUE_BYTES];
    if (sl_http_header(exchange, "idempotency-key", key, sizeof(key)) < 0) {
        sl_http_problem(exchange, 400, "bad-header", "take a UUID",
                        "Idempotency-Key is not printable or longer than %d bytes",
                        (int)sizeof(key) - 1);
        return;
    }
    struct sl_bytes body = {exchange->body.data, exchange->body.size};
    int rc = sl_job_body_read(body, &spec, &diag);
    if (rc < 0) {
        refuse_submission(exchange, rc, &diag);
        return;
    }
    struct sl_submission submission = {
        .spec = &spec,
        .config_json = (const char *)exchange->body.data,
        .idempotency_key = key[0] ? key : NULL,
    };
    sl_http_exchange_owe(exchange);
    rc = sl_lab_submit(exchange->http->lab, &submission, on_submitted, exchange, &diag);
    sl_spec_fini(&spec);
    if (rc < 0 && sl_http_exchange_settle(exchange))
        refuse_submission(exchange, rc, &diag);
}

static void on_jobs(void *user, int rc, const struct sl_job_record *rows, size_t count,
                    uint64_t next_cursor)
{
    struct sl_http_exchange *exchange = user;
    struct sl_http_json text;
    if (!sl_http_reply_due(exchange, rc))
        return;
    sl_http_page_begin(&text, "jobs");
    for (size_t i = 0; i < count; i++)
        sl_json_of_job(&text.json, NULL, &rows[i], NULL);
    sl_http_page_end(exchange, &text, next_cursor);
}

void sl_api_job_list(struct sl_http_exchange *exchange)
{
    struct sl_jobs_filter filter = {.state = -1};
    char state[32];
    if (sl_http_query(exchange, "state", state, sizeof(state)) == 0 && state[0])
        filter.state = sl_job_state_of_name(state);
    if (state[0] && filter.state < 0) {
        sl_http_problem(exchange, 400, "bad-query", "queued, running, done, failed or cancelled",
                        "'%s' is no state of a job", state);
        return;
    }
    if (!sl_http_page(exchange, &filter.cursor, &filter.limit))
        return;
    sl_http_exchange_owe(exchange);
    int rc = sl_store_list_jobs(sl_lab_store(exchange->http->lab), &filter, on_jobs, exchange);
    if (rc < 0 && sl_http_exchange_settle(exchange))
        sl_http_problem_of(exchange, rc, NULL);
}

/* A job that is open is asked of the lab: it knows it sooner than the store. */
static const struct sl_job_record *freshest(struct sl_http_exchange *exchange,
                                            const struct sl_job_record *job)
{
    const struct sl_job_record *open = sl_lab_job(exchange->http->lab, job->id);
    return open ? open : job;
}

static void on_job(void *user, int rc, const struct sl_job_record *job, const char *config_json)
{
    struct sl_http_exchange *exchange = user;
    struct sl_http_json text;
    if (!sl_http_reply_due(exchange, rc))
        return;
    sl_http_json_begin(&text, MAX_LIST_BYTES);
    sl_json_of_job(&text.json, NULL, freshest(exchange, job), config_json);
    sl_http_reply_json(exchange, 200, &text);
}

static void get_job(struct sl_http_exchange *exchange, sl_store_job_fn done)
{
    uint64_t id;
    if (!sl_http_id(exchange, "job", &id))
        return;
    sl_http_exchange_owe(exchange);
    int rc = sl_store_get_job(sl_lab_store(exchange->http->lab), id, done, exchange);
    if (rc < 0 && sl_http_exchange_settle(exchange))
        sl_http_problem_of(exchange, rc, NULL);
}

void sl_api_job_get(struct sl_http_exchange *exchange)
{
    get_job(exchange, on_job);
}

/* Cancelling one that has ended changes nothing and says how it ended. */
static void on_job_to_cancel(void *user, int rc, const struct sl_job_record *job,
                             const char *config_json)
{
    struct sl_http_exchange *exchange = user;
    if (rc == 0 && exchange->turn.connection)
        sl_lab_cancel(exchange->http->lab, job->id);
    on_job(user, rc, job, config_json);
}

void sl_api_job_delete(struct sl_http_exchange *exchange)
{
    get_job(exchange, on_job_to_cancel);
}

static void on_job_to_watch(void *user, int rc, const struct sl_job_record *job,
                            const char *config_json)
{
    struct sl_http_exchange *exchange = user;
    char last[32];
    uint64_t after = 0;
    (void)config_json;
    if (!sl_http_exchange_settle(exchange))
        return;
    if (rc == 0 && (sl_http_header(exchange, "last-event-id", last, sizeof(last)) < 0 ||
                    (last[0] && !sl_http_number(last, &after)))) {
        sl_http_problem(exchange, 400, "bad-header", "send the last id: of the stream before",
                        "Last-Event-ID is not a number");
        return;
    }
    if (rc == 0)
        rc = sl_live_start(exchange, freshest(exchange, job), after);
    if (rc == SL_E_FULL)
        sl_http_problem(exchange, 429, "too-many-streams", "close one, or ask GET /jobs/{id}",
                        "%d streams of events are open already", (int)SL_HTTP_MAX_STREAMS);
    else if (rc < 0)
        sl_http_problem_of(exchange, rc, NULL);
}

void sl_api_job_events(struct sl_http_exchange *exchange)
{
    get_job(exchange, on_job_to_watch);
}

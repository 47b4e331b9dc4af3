/* host/http/api_jobs.c: /api/v1/jobs and below. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/http/api.h"
#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/live.h"
#include "host/http/paging.h"
#include "host/http/record_json.h"
#include "host/http/reply.h"
#include "host/job/lab.h"
#include "host/job/task.h"
#include "host/spec/job_body.h"
#include "host/spec/names.h"
#include "host/spec/plan.h"
#include "host/spec/spec.h"
#include "host/store/run_file.h"
#include "host/store/store.h"

enum { MAX_LIST_BYTES = 4 << 20, MAX_INLINE_BYTES = 4096, MAX_LEFT = 64 };

/* From the body of POST /jobs to its answer. */
struct submitting {
    uv_work_t work;
    struct sl_http_exchange *exchange;
    struct sl_spec spec; /* owned once it is read */
    bool is_read, over_quota;
    struct sl_diag diag;
    char key[SL_NAME_BYTES + SL_HTTP_VALUE_BYTES]; /* "": none */
    uint64_t group;                                /* 0: none */
    struct sl_buf collect; /* the body in place of the request's, of a job that collects */
    int rc;
};

static const struct sl_buf *body_of(const struct submitting *submitting)
{
    return submitting->collect.size > 0 ? &submitting->collect : &submitting->exchange->body;
}

static const char *config_of(const struct submitting *submitting)
{
    return (const char *)body_of(submitting)->data;
}

static void answer_submitted(struct sl_http_exchange *exchange, uint64_t job)
{
    struct sl_http_json text;
    sl_http_json_begin(&text, 1024);
    sl_json_open_object(&text.json, NULL);
    sl_json_u64(&text.json, "id", job);
    sl_json_close_object(&text.json);
    sl_http_reply_header(exchange, "location", "/api/v1/jobs/%" PRIu64, job);
    sl_http_reply_json(exchange, 201, &text);
}

static void refuse_submission(struct sl_http_exchange *exchange, int rc, const struct sl_diag *diag)
{
    if (rc == SL_E_NOT_FOUND) /* a device or a blob that the body names: the path is right */
        sl_http_problem(exchange, 422, "unknown-name",
                        diag->hint[0] ? diag->hint : "GET /api/v1/devices; PUT the blobs first",
                        "%s: %s", diag->where, diag->what);
    else if (rc == -EPERM)
        sl_http_problem(exchange, 403, "runners-refused", diag->hint, "%s: %s", diag->where,
                        diag->what);
    else if (rc == SL_E_FULL)
        sl_http_problem(exchange, 429, "queue-full", "send it again later", "%s",
                        diag->what[0] ? diag->what : "the queue of jobs is full");
    else if (rc == SL_E_MISMATCH)
        sl_http_problem(exchange, 409, "key-reused", "take a new key for another job",
                        "this Idempotency-Key came with another body before");
    else
        sl_http_problem_of(exchange, rc, diag);
}

static void end_submitting(struct submitting *submitting, int rc, uint64_t job)
{
    struct sl_http_exchange *exchange = submitting->exchange;
    if (sl_http_exchange_settle(exchange)) {
        if (submitting->over_quota)
            sl_http_problem(exchange, 429, "quota", "wait for one to end, or cancel one",
                            "'%s' has %u open jobs, as many as it may", exchange->who.name,
                            (unsigned)exchange->who.max_jobs);
        else if (rc == -EACCES)
            sl_http_problem(exchange, 403, "not-yours", "POST /groups makes one of your own",
                            "group %" PRIu64 " is another's", submitting->group);
        else if (rc == SL_E_NOT_FOUND && !submitting->diag.what[0])
            sl_http_problem(exchange, 422, "unknown-name", "GET /api/v1/groups; POST makes one",
                            "there is no group %" PRIu64, submitting->group);
        else if (rc < 0)
            refuse_submission(exchange, rc, &submitting->diag);
        else
            answer_submitted(exchange, job);
    }
    if (submitting->is_read)
        sl_spec_fini(&submitting->spec);
    sl_buf_fini(&submitting->collect);
    sl_free(submitting);
}

static void on_submitted(void *user, int rc, uint64_t job)
{
    struct submitting *submitting = user;
    submitting->over_quota = rc == SL_E_LIMIT;
    end_submitting(submitting, rc, job);
}

static void on_found(void *user, int rc, uint64_t job)
{
    struct submitting *submitting = user;
    end_submitting(submitting, rc == SL_E_NOT_FOUND ? submitting->rc : rc, job);
}

/* It cannot be taken; but when its key came before, it was taken already. */
static void look_for_key(struct submitting *submitting, int rc)
{
    submitting->rc = rc;
    if (submitting->key[0] && config_of(submitting) && rc != SL_E_STATE)
        rc = sl_store_find_job(sl_lab_store(submitting->exchange->http->lab), config_of(submitting),
                               submitting->key, on_found, submitting);
    if (rc < 0)
        end_submitting(submitting, submitting->rc, 0);
}

struct needing {
    const struct sl_blobs *blobs;
    struct sl_diag *diag;
};

static int need_file(void *user, const struct sl_param *param, const char *path,
                     const char **sha256)
{
    const struct needing *needing = user;
    const char *key = sl_param_key(param, SL_IN_JOB);
    char where[64];
    uint64_t size;
    (void)path;
    int rc = *sha256 ? sl_blobs_touch(needing->blobs, *sha256, &size) : 0;
    if (rc != SL_E_NOT_FOUND)
        return rc;
    snprintf(where, sizeof(where), "/%s", key ? key : "files");
    sl_diag_hint(needing->diag, "PUT it to /api/v1/blobs/%s first", *sha256);
    return sl_diag_set(needing->diag, rc, where, "the file %.12s... is not here", *sha256);
}

/* Runners are programs: who may send data may not for that start them. On the loop or beside it:
 * neither `who` nor `allow_runners` changes. */
static int check_runners(struct submitting *submitting)
{
    const struct sl_http_exchange *exchange = submitting->exchange;
    if (!submitting->spec.plan || exchange->http->allow_runners ||
        (exchange->who.scopes & SL_SCOPE_RUNNER_CODE))
        return 0;
    sl_diag_hint(&submitting->diag,
                 "send it over the daemon's Unix socket, or ask for a token with "
                 "the scope runner-code");
    return sl_diag_set(&submitting->diag, -EPERM, "/task",
                       "External runners are programs, and this token may not submit them");
}

/* Off the loop where the body is long: the connection may be gone meanwhile. */
static void read_submission(uv_work_t *work)
{
    struct submitting *submitting = work->data;
    const struct sl_http_exchange *exchange = submitting->exchange;
    struct sl_spec *spec = &submitting->spec;
    struct sl_diag *diag = &submitting->diag;
    struct needing needing = {&exchange->http->blobs, diag};
    struct sl_bytes body = {body_of(submitting)->data, body_of(submitting)->size};
    int rc = sl_job_body_read(body, &submitting->spec, diag);
    submitting->is_read = rc == 0;
    if (rc == 0 && !sl_run_id_is_none(spec->kept_id) && submitting->collect.size == 0)
        rc = sl_diag_set(diag, SL_E_FORMAT, "/kept",
                         "A result is collected by POST /devices/{name}/results/{id} alone");
    if (rc == 0)
        rc = check_runners(submitting);
    if (rc == 0)
        rc = sl_params_each_file(spec, need_file, &needing);
    if (rc == 0 && spec->plan)
        rc = sl_plan_each_file(spec->plan, need_file, &needing);
    submitting->rc = rc;
}

static void after_reading(uv_work_t *work, int status)
{
    struct submitting *submitting = work->data;
    const struct sl_submission submission = {
        .spec = &submitting->spec,
        .config_json = config_of(submitting),
        .idempotency_key = submitting->key[0] ? submitting->key : NULL,
        .owner = submitting->exchange->who.name,
        .max_open = submitting->exchange->who.max_jobs,
        .group = submitting->group,
    };
    int rc = status < 0 ? status : submitting->rc;
    if (rc == 0)
        rc = sl_lab_submit(submitting->exchange->http->lab, &submission, on_submitted, submitting,
                           &submitting->diag);
    if (rc < 0)
        look_for_key(submitting, rc);
}

/* NULL: it is said why not. */
static struct submitting *new_submitting(struct sl_http_exchange *exchange)
{
    struct submitting *submitting = sl_calloc(1, sizeof(*submitting));
    if (!submitting) {
        sl_http_problem_of(exchange, -ENOMEM, NULL);
        return NULL;
    }
    submitting->exchange = exchange;
    submitting->work.data = submitting;
    sl_buf_init(&submitting->collect, 0);
    return submitting;
}

static void begin_submitting(struct submitting *submitting)
{
    struct sl_http_exchange *exchange = submitting->exchange;
    sl_http_exchange_owe(exchange);
    if (body_of(submitting)->size > MAX_INLINE_BYTES) {
        int rc =
            uv_queue_work(exchange->http->loop, &submitting->work, read_submission, after_reading);
        if (rc < 0)
            end_submitting(submitting, rc, 0);
        return;
    }
    read_submission(&submitting->work);
    after_reading(&submitting->work, 0);
}

void sl_api_job_post(struct sl_http_exchange *exchange)
{
    char key[SL_HTTP_VALUE_BYTES];
    if (sl_http_header(exchange, "idempotency-key", key, sizeof(key)) < 0) {
        sl_http_problem(exchange, 400, "bad-header", "take a UUID",
                        "Idempotency-Key is not printable or longer than %d bytes",
                        (int)sizeof(key) - 1);
        return;
    }
    uint64_t group = 0;
    if (!sl_http_group(exchange, &group))
        return;
    struct submitting *submitting = new_submitting(exchange);
    if (!submitting)
        return;
    submitting->group = group;
    if (key[0]) /* two who chose the same key have not sent the same job */
        snprintf(submitting->key, sizeof(submitting->key), "%s\n%s", exchange->who.name, key);
    begin_submitting(submitting);
}

void sl_api_job_collect(struct sl_http_exchange *exchange, struct sl_buf *body)
{
    struct submitting *submitting = new_submitting(exchange);
    if (!submitting) {
        sl_buf_fini(body);
        return;
    }
    submitting->collect = *body;
    begin_submitting(submitting);
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
        sl_json_of_job(&text.json, NULL, &rows[i]);
    sl_http_page_end(exchange, &text, next_cursor);
}

void sl_api_job_list(struct sl_http_exchange *exchange)
{
    struct sl_jobs_filter filter;
    if (!sl_http_jobs_filter(exchange, &filter))
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

/* A job on its way to its reader, until what its attempts left is known too. */
struct telling {
    struct sl_http_exchange *exchange;
    struct sl_job_record job;
    char *config;    /* owned; NULL: the log of one attempt is asked for */
    uint64_t number; /* of that one */
    struct sl_store_finding left[MAX_LEFT];
    size_t left_count;
};

static void end_telling(struct telling *telling)
{
    sl_free(telling->config);
    sl_free(telling);
}

static void send_job(const struct telling *telling, const struct sl_attempt_record *rows,
                     size_t count)
{
    const struct sl_job_story story = {.job = freshest(telling->exchange, &telling->job),
                                       .config_json = telling->config,
                                       .attempts = rows,
                                       .attempt_count = count,
                                       .left = telling->left,
                                       .left_count = telling->left_count};
    struct sl_http_json text;
    sl_http_json_begin(&text, MAX_LIST_BYTES);
    sl_json_of_job_story(&text.json, &story);
    sl_http_reply_json(telling->exchange, 200, &text);
}

static void send_log(const struct telling *telling, const struct sl_attempt_record *rows,
                     size_t count)
{
    struct sl_http_exchange *exchange = telling->exchange;
    const struct sl_job_story story = {.job = &telling->job,
                                       .attempts = rows,
                                       .attempt_count = count,
                                       .left = telling->left,
                                       .left_count = telling->left_count};
    const char *directory = NULL;
    uint64_t size = 0;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].number == telling->number)
            directory = sl_attempt_directory(&story, i);
    }
    int fd = directory ? sl_run_file_open(sl_lab_state_dir(exchange->http->lab), directory,
                                          "streams/log", &size)
                       : SL_E_NOT_FOUND;
    if (fd == SL_E_NOT_FOUND)
        sl_http_problem(exchange, 404, "not-found",
                        "GET /jobs/{id} lists its attempts; gc removes what those without a run "
                        "left, and a run has its log itself",
                        "job %.20s has no log of an attempt %.20s", exchange->param[0],
                        exchange->param[1]);
    else if (fd < 0)
        sl_http_problem_of(exchange, fd, NULL);
    else
        sl_http_reply_file(exchange, "text/plain; charset=utf-8", fd, size);
}

static void on_attempts(void *user, int rc, const struct sl_attempt_record *rows, size_t count)
{
    struct telling *telling = user;
    if (sl_http_reply_due(telling->exchange, rc)) {
        if (telling->config)
            send_job(telling, rows, count);
        else
            send_log(telling, rows, count);
    }
    end_telling(telling);
}

static void on_left(void *user, int rc, const struct sl_store_finding *rows, size_t count,
                    uint64_t more)
{
    struct telling *telling = user;
    (void)more;
    telling->left_count = count < MAX_LEFT ? count : MAX_LEFT;
    if (telling->left_count > 0)
        memcpy(telling->left, rows, telling->left_count * sizeof(rows[0]));
    if (rc == 0)
        rc = sl_store_list_attempts(sl_lab_store(telling->exchange->http->lab), telling->job.id,
                                    on_attempts, telling);
    if (rc < 0)
        on_attempts(telling, rc, NULL, 0);
}

static int tell(struct telling *telling)
{
    int rc = sl_store_list_left(sl_lab_store(telling->exchange->http->lab), telling->job.id,
                                on_left, telling);
    if (rc < 0)
        end_telling(telling);
    return rc;
}

static int tell_job(struct sl_http_exchange *exchange, const struct sl_job_record *job,
                    const char *config_json)
{
    struct telling *telling = sl_calloc(1, sizeof(*telling));
    if (!telling)
        return -ENOMEM;
    telling->exchange = exchange;
    telling->job = *job;
    telling->config = sl_strndup(config_json, strlen(config_json));
    if (telling->config)
        return tell(telling);
    end_telling(telling);
    return -ENOMEM;
}

static void on_job(void *user, int rc, const struct sl_job_record *job, const char *config_json)
{
    struct sl_http_exchange *exchange = user;
    if (rc == 0)
        rc = tell_job(exchange, job, config_json);
    if (rc < 0)
        sl_http_reply_due(exchange, rc);
}

static void get_job(struct sl_http_exchange *exchange, sl_store_job_fn done)
{
    uint64_t id;
    if (!sl_http_id(exchange, &id))
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

void sl_api_attempt_log(struct sl_http_exchange *exchange)
{
    uint64_t id;
    struct telling *telling;
    if (!sl_http_id(exchange, &id))
        return;
    telling = sl_calloc(1, sizeof(*telling));
    if (!telling) {
        sl_http_problem_of(exchange, -ENOMEM, NULL);
        return;
    }
    telling->exchange = exchange;
    telling->job.id = id;
    if (!sl_http_number(exchange->param[1], &telling->number)) {
        end_telling(telling);
        sl_http_problem_absent(exchange);
        return;
    }
    sl_http_exchange_owe(exchange);
    int rc = tell(telling);
    if (rc < 0 && sl_http_exchange_settle(exchange))
        sl_http_problem_of(exchange, rc, NULL);
}

/* Cancelling one that has ended changes nothing and says how it ended. */
static void on_job_to_cancel(void *user, int rc, const struct sl_job_record *job,
                             const char *config_json)
{
    struct sl_http_exchange *exchange = user;
    if (rc == 0 && !sl_http_may_cancel(exchange, job->owner)) {
        if (sl_http_exchange_settle(exchange))
            sl_http_problem(
                exchange, 403, "not-yours", "ask its owner, or for a token of that scope",
                "job %" PRIu64 " is another's; this takes the scope cancel-any", job->id);
        return;
    }
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
    (void)config_json;
    if (sl_http_reply_due(exchange, rc))
        sl_live_answer(exchange, freshest(exchange, job));
}

void sl_api_job_events(struct sl_http_exchange *exchange)
{
    get_job(exchange, on_job_to_watch);
}

void sl_api_events(struct sl_http_exchange *exchange)
{
    sl_live_answer(exchange, NULL);
}

static void on_job_with_result(void *user, int rc, const struct sl_job_record *job,
                               const char *config_json)
{
    struct sl_http_exchange *exchange = user;
    char name[SL_TASK_NAME_BYTES];
    uint64_t size = 0;
    (void)config_json;
    if (!sl_http_reply_due(exchange, rc))
        return;
    sl_task_file_name(job->id, name);
    int fd = sl_run_file_open(sl_lab_state_dir(exchange->http->lab), SL_TASK_FOLDER, name, &size);
    if (fd == SL_E_NOT_FOUND)
        sl_http_problem(
            exchange, 404, "not-found",
            "a task has one when its agent has ended, until gc removes it; a run's is GET "
            "/runs/{id}",
            "job %" PRIu64 " has no result", job->id);
    else if (fd < 0)
        sl_http_problem_of(exchange, fd, NULL);
    else
        sl_http_reply_file(exchange, "application/json", fd, size);
}

void sl_api_job_result(struct sl_http_exchange *exchange)
{
    get_job(exchange, on_job_with_result);
}

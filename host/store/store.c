/* host/store/store.c: the queue to the worker thread and back. */
#include "host/store/store.h"

#include <errno.h>
#include <string.h>

#include <sqlite3.h>
#include <uv.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/store/request.h"
#include "host/store/schema.h"

/* A list that is appended to at its end. */
struct queue {
    struct sl_request *first, **end;
};

struct sl_store {
    sqlite3 *db; /* the worker's alone once it runs */
    uv_thread_t worker;
    uv_mutex_t lock;
    uv_cond_t wake;
    uv_async_t answered;
    /* under the lock: */
    struct queue waiting, done;
    size_t queued; /* waiting, being carried out, or not answered yet */
    bool stopping;
    /* the loop's: */
    bool closing;
    void (*closed)(void *user);
    void *closed_user;
};

static void queue_init(struct queue *queue)
{
    queue->first = NULL;
    queue->end = &queue->first;
}

static void queue_append(struct queue *queue, struct sl_request *request)
{
    request->next = NULL;
    *queue->end = request;
    queue->end = &request->next;
}

static struct sl_request *queue_take_all(struct queue *queue)
{
    struct sl_request *first = queue->first;
    queue_init(queue);
    return first;
}

/* All that waited together is committed together. A commit that fails takes every write of the
 * batch with it. */
static void execute_batch(struct sl_store *store, struct sl_request *batch)
{
    int rc = sqlite3_exec(store->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    for (struct sl_request *request = batch; request; request = request->next) {
        if (rc == SQLITE_OK)
            sl_request_execute(request, store->db);
    }
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        return;
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    for (struct sl_request *request = batch; request; request = request->next)
        request->rc = rc == SQLITE_FULL ? -ENOSPC : -EIO;
}

static void work(void *user)
{
    struct sl_store *store = user;
    uv_mutex_lock(&store->lock);
    while (!store->stopping) {
        struct sl_request *batch = queue_take_all(&store->waiting);
        if (!batch) {
            uv_cond_wait(&store->wake, &store->lock);
            continue;
        }
        uv_mutex_unlock(&store->lock);
        execute_batch(store, batch);
        uv_mutex_lock(&store->lock);
        while (batch) {
            struct sl_request *next = batch->next;
            queue_append(&store->done, batch);
            batch = next;
        }
        uv_async_send(&store->answered);
    }
    uv_mutex_unlock(&store->lock);
}

static void answer_all(struct sl_store *store)
{
    uv_mutex_lock(&store->lock);
    struct sl_request *request = queue_take_all(&store->done);
    uv_mutex_unlock(&store->lock);
    while (request) {
        struct sl_request *next = request->next;
        uv_mutex_lock(&store->lock);
        store->queued--;
        uv_mutex_unlock(&store->lock);
        sl_request_answer(request);
        sl_request_free(request);
        request = next;
    }
}

static void on_answered(uv_async_t *async)
{
    answer_all(async->data);
}

static int start_worker(uv_loop_t *loop, struct sl_store *store)
{
    int rc = uv_mutex_init(&store->lock);
    if (rc < 0)
        return rc;
    rc = uv_cond_init(&store->wake);
    if (rc < 0) {
        uv_mutex_destroy(&store->lock);
        return rc;
    }
    rc = uv_async_init(loop, &store->answered, on_answered);
    store->answered.data = store;
    if (rc == 0) {
        rc = uv_thread_create(&store->worker, work, store);
        if (rc < 0)
            uv_close((uv_handle_t *)&store->answered,
                     NULL); /* the loop outlives the struct's use of it: see sl_store_open() */
    }
    if (rc < 0) {
        uv_cond_destroy(&store->wake);
        uv_mutex_destroy(&store->lock);
    }
    return rc;
}

int sl_store_open(uv_loop_t *loop, const char *path, struct sl_store **out, struct sl_diag *diag)
{
    struct sl_store *store = sl_calloc(1, sizeof(*store));
    if (!store)
        return -ENOMEM;
    queue_init(&store->waiting);
    queue_init(&store->done);
    int rc = sl_schema_open(path, &store->db, diag);
    if (rc == 0) {
        rc = start_worker(loop, store);
        if (rc < 0) {
            sl_diag_set(diag, rc, path, "the store's thread cannot be started: %s",
                        uv_strerror(rc));
            sqlite3_close(store->db);
            uv_run(loop, UV_RUN_NOWAIT); /* lets a half-made handle close before its memory goes */
        }
    }
    if (rc < 0) {
        sl_free(store);
        return rc;
    }
    *out = store;
    return 0;
}

static void on_async_closed(uv_handle_t *handle)
{
    struct sl_store *store = handle->data;
    void (*closed)(void *) = store->closed;
    void *user = store->closed_user;
    sqlite3_close(store->db);
    uv_cond_destroy(&store->wake);
    uv_mutex_destroy(&store->lock);
    sl_free(store);
    closed(user);
}

void sl_store_close(struct sl_store *store, void (*closed)(void *user), void *user)
{
    if (store->closing)
        return;
    store->closing = true;
    store->closed = closed;
    store->closed_user = user;
    uv_mutex_lock(&store->lock);
    store->stopping = true;
    uv_cond_signal(&store->wake);
    uv_mutex_unlock(&store->lock);
    uv_thread_join(&store->worker); /* at most one batch long */
    answer_all(store);
    for (struct sl_request *request = queue_take_all(&store->waiting); request;) {
        struct sl_request *next = request->next;
        request->rc = SL_E_STATE;
        sl_request_answer(request);
        sl_request_free(request);
        request = next;
    }
    uv_close((uv_handle_t *)&store->answered, on_async_closed);
}

static struct sl_request *request_new(int kind, void *user)
{
    struct sl_request *request = sl_calloc(1, sizeof(*request));
    if (request) {
        request->kind = kind;
        request->user = user;
    }
    return request;
}

/* Takes the request over, also when it fails. */
static int enqueue(struct sl_store *store, struct sl_request *request)
{
    int rc = 0;
    if (!request)
        return -ENOMEM;
    uv_mutex_lock(&store->lock);
    if (store->closing)
        rc = SL_E_STATE;
    else if (store->queued >= SL_STORE_MAX_QUEUED)
        rc = SL_E_FULL;
    if (rc == 0) {
        store->queued++;
        queue_append(&store->waiting, request);
        uv_cond_signal(&store->wake);
    }
    uv_mutex_unlock(&store->lock);
    if (rc < 0)
        sl_request_free(request);
    return rc;
}

/* A request that is about a configuration and a key. */
static int request_job(struct sl_store *store, int kind, const struct sl_job_record *job,
                       const char *config_json, const char *key, sl_store_id_fn done, void *user)
{
    size_t len = strlen(config_json);
    if (len > SL_STORE_MAX_CONFIG_BYTES)
        return SL_E_LIMIT;
    struct sl_request *request = request_new(kind, user);
    if (!request)
        return -ENOMEM;
    request->job = *job;
    request->id_done = done;
    request->config = sl_strndup(config_json, len);
    request->key = key ? sl_strndup(key, strlen(key)) : NULL;
    if (!request->config || (key && !request->key)) {
        sl_request_free(request);
        return -ENOMEM;
    }
    return enqueue(store, request);
}

int sl_store_add_job(struct sl_store *store, const struct sl_job_record *job,
                     const char *config_json, const char *idempotency_key, sl_store_id_fn done,
                     void *user)
{
    return request_job(store, SL_REQUEST_ADD_JOB, job, config_json, idempotency_key, done, user);
}

int sl_store_find_job(struct sl_store *store, const char *config_json, const char *idempotency_key,
                      sl_store_id_fn done, void *user)
{
    const struct sl_job_record none = {0};
    return request_job(store, SL_REQUEST_FIND_JOB, &none, config_json, idempotency_key, done, user);
}

int sl_store_update_job(struct sl_store *store, const struct sl_job_record *job,
                        sl_store_done_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_UPDATE_JOB, user);
    if (request) {
        request->job = *job;
        request->done = done;
    }
    return enqueue(store, request);
}

int sl_store_get_job(struct sl_store *store, uint64_t id, sl_store_job_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_GET_JOB, user);
    if (request) {
        request->id = id;
        request->job_done = done;
    }
    return enqueue(store, request);
}

int sl_store_list_jobs(struct sl_store *store, const struct sl_jobs_filter *filter,
                       sl_store_jobs_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_LIST_JOBS, user);
    if (request) {
        request->jobs_filter = *filter;
        request->jobs_done = done;
    }
    return enqueue(store, request);
}

int sl_store_add_run(struct sl_store *store, const struct sl_run_record *run, sl_store_id_fn done,
                     void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_ADD_RUN, user);
    if (request) {
        request->run = *run;
        request->id_done = done;
    }
    return enqueue(store, request);
}

int sl_store_list_runs(struct sl_store *store, const struct sl_runs_filter *filter,
                       sl_store_runs_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_LIST_RUNS, user);
    if (request) {
        request->runs_filter = *filter;
        request->runs_done = done;
    }
    return enqueue(store, request);
}

int sl_store_list_tokens(struct sl_store *store, sl_store_tokens_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_LIST_TOKENS, user);
    if (request)
        request->tokens_done = done;
    return enqueue(store, request);
}

int sl_store_add_token(struct sl_store *store, const struct sl_token_record *token,
                       sl_store_id_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_ADD_TOKEN, user);
    if (request) {
        request->token = *token;
        request->id_done = done;
    }
    return enqueue(store, request);
}

int sl_store_remove_token(struct sl_store *store, uint64_t id, sl_store_done_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_REMOVE_TOKEN, user);
    if (request) {
        request->id = id;
        request->done = done;
    }
    return enqueue(store, request);
}

/* host/store/store.c: the queue to the worker thread and back. */
#include "host/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/histogram.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "host/store/adder.h"
#include "host/store/batch.h"
#include "host/store/database.h"
#include "host/store/directory_id.h"
#include "host/store/host_table.h"
#include "host/store/job_table.h"
#include "host/store/losses.h"
#include "host/store/numbers.h"
#include "host/store/page_check.h"
#include "host/store/query.h"
#include "host/store/reading.h"
#include "host/store/request.h"
#include "host/store/request_queue.h"
#include "host/store/row_copy.h"
#include "host/store/schema.h"
#include "host/store/server_query.h"
#include "host/store/sqlite.h"

/* In slices, so that an end is noticed; and how often a lost server is looked for. */
enum { PAUSE_MS = 25, LOOK_AGAIN_MS = 1000 };

/* A batch waits until 1/EXPECTED_PART of the expected requests are there, at most 1/GATHER_PART of
 * the last transaction's time and GATHER_MS. */
enum { GATHER_PART = 2, GATHER_MS = 5, EXPECTED_PART = 2 };

#define NS_A_MS UINT64_C(1000000)

struct sl_store {
    char *reader;              /* owned; a URL, optional */
    char *where;               /* owned; a file's path, or a URL, which may have a password */
    struct sl_database *db;    /* the worker's alone once it runs */
    struct sl_numbers numbers; /* the same */
    bool numbers_open;
    struct sl_page_check *check; /* owned; of a large file */
    int wake_pipe[2];            /* of a shared database, whose server is waited for as well */
    char identity[SL_NAME_BYTES];
    struct sl_store_host host; /* before the first request, then read only */
    uv_thread_t worker;
    uv_mutex_t lock;
    uv_cond_t wake;
    uv_async_t answered;
    /* under the lock: */
    struct sl_request_queue waiting, done;
    size_t queued; /* waiting, being carried out, or not answered yet */
    bool stopping;
    bool listen;          /* the worker is to hear of changes by others */
    uv_sem_t *host_asked; /* borrowed: the worker is to answer sl_store_be_host() */
    int host_rc;
    bool news;   /* another connection changed jobs */
    int trouble; /* why the latest requests failed, or 0 */
    char why[SL_STORE_WHY_BYTES];
    struct sl_histogram transactions, requests;
    uint64_t took_ns; /* the last transaction */
    size_t expected;  /* urgent requests that waited or were carried out at its end */
    size_t urgent;    /* of those that wait */
    size_t writing;   /* of the urgent ones: they need a transaction */
    size_t carried;   /* urgent requests that are being carried out */
    size_t enough;    /* so many wake the worker */
    bool lately;      /* there was a transaction since it last waited for one */
    /* the loop's: */
    struct sl_adder *adder;     /* owned; of a shared database */
    struct sl_reading *reading; /* owned; NULL: none is needed, or it could not be started */
    bool reading_started;       /* or that was tried */
    void (*watch)(void *user);  /* optional */
    void *watch_user;
    bool closing;
    void (*closed)(void *user);
    void *closed_user;
};

/* A run's rows stand in its directory too: as they are when it is added, and when its job ended. A
 * copy that cannot be written is missed only if the database is lost as well. */
static void copy_rows(struct sl_store *store, const struct sl_request *batch)
{
    for (; batch; batch = batch->next) {
        bool added = batch->kind == SL_REQUEST_ADD_RUN || batch->kind == SL_REQUEST_END_JOB ||
                     batch->kind == SL_REQUEST_IMPORT_RUN ||
                     (batch->kind == SL_REQUEST_LABEL_RUN && batch->changed);
        uint64_t run = added                                  ? batch->id
                       : batch->kind == SL_REQUEST_UPDATE_JOB ? batch->job.run
                                                              : 0;
        int rc = batch->rc == 0 && run != 0 ? sl_row_copy_write(store->db, run) : 0;
        if (rc < 0 && rc != SL_E_NOT_FOUND)
            sl_log(SL_LOG_WARNING, SL_LOG_EVENT("row_not_copied"), SL_LOG_NUMBER("run", run),
                   SL_LOG_REASON(sl_strerror(rc)));
    }
}

/* Under the lock. Each change is said once; damage stays. */
static void note_health(struct sl_store *store, int rc, const char *why)
{
    if (store->trouble == rc || store->trouble == SL_E_FORMAT)
        return;
    store->trouble = rc;
    snprintf(store->why, sizeof(store->why), "%s", rc < 0 ? why : "");
    if (rc < 0)
        sl_log(SL_LOG_ERROR, SL_LOG_EVENT("store_failing"), SL_LOG_REASON(why));
    else
        sl_log(SL_LOG_INFO, SL_LOG_EVENT("store_works_again"));
}

/* Is it to end? */
static bool is_stopping(struct sl_store *store)
{
    uv_mutex_lock(&store->lock);
    bool stopping = store->stopping;
    uv_mutex_unlock(&store->lock);
    return stopping;
}

/* Between attempts to reach the server. */
static bool pause_for(void *user, unsigned ms)
{
    struct sl_store *store = user;
    for (unsigned waited = 0; waited < ms && !is_stopping(store); waited += PAUSE_MS)
        uv_sleep(PAUSE_MS);
    return !is_stopping(store);
}

static void tell_news(struct sl_store *store)
{
    uv_mutex_lock(&store->lock);
    store->news = true;
    uv_mutex_unlock(&store->lock);
    uv_async_send(&store->answered);
}

static int execute_batch(struct sl_store *store, struct sl_request *batch, bool failing,
                         char why[SL_STORE_WHY_BYTES])
{
    struct sl_batch_place place = {.db = store->db,
                                   .numbers = store->db->shared ? NULL : &store->numbers,
                                   .host = &store->host,
                                   .pause = pause_for,
                                   .user = store,
                                   .failing = failing,
                                   .why = why,
                                   .why_bytes = SL_STORE_WHY_BYTES};
    int rc = sl_batch_execute(&place, batch);
    if (place.reconnected)
        tell_news(store); /* others may have written meanwhile */
    return rc;
}

/* Without requests: a server that is lost is looked for, and what other daemons tell is passed on.
 */
static void idle(struct sl_store *store, int ms)
{
    struct sl_database *db = store->db;
    char why[SL_STORE_WHY_BYTES];
    bool news = false, in_doubt, committed;
    int rc = db->kind->wait(db, store->wake_pipe[0],
                            ms < 0 && store->trouble < 0 ? LOOK_AGAIN_MS : ms, &news);
    if (sl_database_state(db) == SL_DATABASE_LOST) {
        rc = db->kind->reconnect(db, &in_doubt, &committed);
        news = rc == 0;
    }
    snprintf(why, sizeof(why), "%s", rc < 0 ? db->kind->message(db) : "");
    uv_mutex_lock(&store->lock);
    if (rc < 0 || store->trouble == -ENOTCONN)
        note_health(store, rc, why);
    uv_mutex_unlock(&store->lock);
    if (news)
        tell_news(store);
}

/* Under the lock, which is open while it waits. */
static void wait_for_requests(struct sl_store *store, int ms)
{
    if (!store->db->shared) {
        if (ms < 0)
            uv_cond_wait(&store->wake, &store->lock);
        else
            uv_cond_timedwait(&store->wake, &store->lock, (uint64_t)ms * 1000000);
        return;
    }
    uv_mutex_unlock(&store->lock);
    idle(store, ms);
    uv_mutex_lock(&store->lock);
}

static void wake(struct sl_store *store)
{
    uv_cond_signal(&store->wake);
    if (store->db->shared && write(store->wake_pipe[1], "", 1) < 0)
        return; /* it is full: the worker wakes anyway */
}

/* Under the lock. So many are worth a transaction. */
static size_t worthwhile(const struct sl_store *store)
{
    return (store->expected + EXPECTED_PART - 1) / EXPECTED_PART;
}

/* Under the lock. How long those that wait may wait for others to be committed with them: a sync
 * costs the same for one as for all, and there is none after reads. Clients that the last batch
 * answered come back at once, and the first of them would begin the next one without the others. */
static uint64_t patience_ns(const struct sl_store *store)
{
    if (store->urgent == 0)
        return SL_NOTES_WAIT_MS * NS_A_MS;
    if (store->urgent >= worthwhile(store) || store->writing == 0)
        return 0;
    uint64_t part_ns = store->took_ns / GATHER_PART;
    return part_ns < GATHER_MS * NS_A_MS ? part_ns : GATHER_MS * NS_A_MS;
}

/* Under the lock. Reads come one by one, so that none waits for the answers of others; while the
 * database fails they wait for it together. */
static struct sl_request *take_batch(struct sl_store *store)
{
    bool single = store->urgent > 0 && store->writing == 0 && store->trouble == 0;
    store->carried = single ? 1 : store->urgent;
    store->urgent -= store->carried;
    store->writing = 0;
    return sl_request_queue_take_batch(&store->waiting, single, sl_clock_ns());
}

/* Under the lock, which is open while it waits. NULL: there is none yet. */
static struct sl_request *await_batch(struct sl_store *store)
{
    uint64_t began_ns = sl_clock_ns(), limit_ns, waited_ns;
    if (!store->waiting.first) {
        store->enough = store->lately ? 1 : 0; /* who did what wakes it later */
        wait_for_requests(store, store->lately ? SL_NOTES_WAIT_MS : -1);
        store->lately = false;
        return NULL;
    }
    for (;;) {
        store->enough = store->urgent > 0 ? worthwhile(store) : 1;
        limit_ns = patience_ns(store);
        waited_ns = sl_clock_ns() - began_ns;
        if (store->stopping || waited_ns >= limit_ns)
            break;
        wait_for_requests(store, (int)((limit_ns - waited_ns + NS_A_MS - 1) / NS_A_MS));
    }
    store->enough = SIZE_MAX; /* it looks again by itself */
    return store->stopping ? NULL : take_batch(store);
}

/* Under the lock: its answers are due. Reads tell nothing of what a transaction takes. */
static void end_batch(struct sl_store *store, struct sl_request *batch, uint64_t took_ns)
{
    bool wrote = false;
    for (struct sl_request *next; batch; batch = next) {
        next = batch->next;
        wrote = wrote || !sl_request_only_reads(batch);
        sl_request_queue_append(&store->done, batch);
    }
    if (wrote) {
        sl_histogram_add(&store->transactions, took_ns);
        store->took_ns = took_ns;
        store->lately = true;
        store->expected = store->urgent + store->carried;
    }
    store->carried = 0;
    uv_async_send(&store->answered);
}

/* Under the lock, which is open meanwhile. What is asked later sees what was changed before. */
static void start_listening(struct sl_store *store)
{
    store->listen = false;
    uv_mutex_unlock(&store->lock);
    store->db->kind->listen(store->db); /* a lost connection is looked for where it waits */
    uv_mutex_lock(&store->lock);
}

/* The database is this thread's. */
static void answer_host(struct sl_store *store)
{
    uv_sem_t *answered = store->host_asked;
    store->host_asked = NULL;
    store->host_rc = sl_host_table_check_directory(store->db, store->host.name);
    uv_sem_post(answered); /* last: it is the asking thread's */
}

static void work(void *user)
{
    struct sl_store *store = user;
    uv_mutex_lock(&store->lock);
    while (!store->stopping) {
        if (store->listen)
            start_listening(store);
        if (store->host_asked)
            answer_host(store);
        struct sl_request *batch = await_batch(store);
        if (!batch)
            continue;
        bool failing = store->trouble < 0;
        uv_mutex_unlock(&store->lock);
        char why[SL_STORE_WHY_BYTES] = "";
        uint64_t began_ns = sl_clock_ns();
        int rc = execute_batch(store, batch, failing, why);
        uint64_t took_ns = sl_clock_ns() - began_ns;
        if (rc == 0)
            copy_rows(store, batch);
        uv_mutex_lock(&store->lock);
        note_health(store, rc, why);
        end_batch(store, batch, took_ns);
    }
    uv_mutex_unlock(&store->lock);
}

static void answer(struct sl_store *store, struct sl_request *request)
{
    uv_mutex_lock(&store->lock);
    store->queued--;
    sl_histogram_add(&store->requests, sl_clock_ns() - request->queued_ns);
    uv_mutex_unlock(&store->lock);
    sl_request_answer(request);
    sl_request_free(request);
}

static void answer_all(struct sl_store *store)
{
    uv_mutex_lock(&store->lock);
    struct sl_request *request = sl_request_queue_take_all(&store->done);
    bool news = store->news;
    store->news = false;
    uv_mutex_unlock(&store->lock);
    while (request) {
        struct sl_request *next = request->next;
        answer(store, request);
        request = next;
    }
    if (news && store->watch)
        store->watch(store->watch_user);
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

static void release(struct sl_store *store)
{
    sl_database_close(store->db);
    if (store->numbers_open)
        sl_numbers_close(&store->numbers);
    for (int i = 0; i < 2; i++)
        if (store->wake_pipe[i] >= 0)
            close(store->wake_pipe[i]);
    sl_free(store->where);
    sl_free(store->reader);
    sl_free(store);
}

/* The numbers of a database that others share are its own; it wakes by a pipe. */
static int prepare(struct sl_store *store, struct sl_diag *diag)
{
    if (store->db->shared) {
        int rc = pipe(store->wake_pipe) < 0 ? -errno : 0;
        for (int i = 0; rc == 0 && i < 2; i++)
            if (fcntl(store->wake_pipe[i], F_SETFD, FD_CLOEXEC) < 0 ||
                fcntl(store->wake_pipe[i], F_SETFL, O_NONBLOCK) < 0)
                rc = -errno;
        return rc < 0 ? sl_diag_set(diag, rc, "store", "the store's thread cannot be woken: %s",
                                    sl_strerror(rc))
                      : 0;
    }
    int rc = sl_losses_make_up(store->db, store->where, &store->numbers, diag);
    store->numbers_open = rc == 0;
    return rc;
}

/* On the check's thread. */
static void on_pages_checked(void *user, int rc, const struct sl_diag *diag)
{
    struct sl_store *store = user;
    if (rc == 0)
        sl_log(SL_LOG_INFO, SL_LOG_EVENT("store_checked"));
    else if (rc != SL_E_FORMAT)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("store_not_checked"), SL_LOG_REASON(diag->what));
    if (rc != SL_E_FORMAT)
        return;
    uv_mutex_lock(&store->lock);
    note_health(store, rc, diag->what);
    uv_mutex_unlock(&store->lock);
}

/* Under the lock. */
static void queue(struct sl_store *store, struct sl_request *request)
{
    sl_request_queue_append(&store->waiting, request);
    store->urgent += sl_request_is_urgent(request);
    store->writing += sl_request_is_urgent(request) && !sl_request_only_reads(request);
    if (store->urgent >= store->enough)
        wake(store);
}

static void on_added(void *user, struct sl_request *request)
{
    answer(user, request);
}

/* The store's own connection reads it, or looks whether it took place and adds it if not. */
static void on_not_done(void *user, struct sl_request *request)
{
    struct sl_store *store = user;
    uv_mutex_lock(&store->lock);
    queue(store, request);
    uv_mutex_unlock(&store->lock);
}

static void on_read(void *user, struct sl_request *request)
{
    struct sl_store *store = user;
    uv_mutex_lock(&store->lock);
    sl_request_queue_append(&store->done, request);
    uv_mutex_unlock(&store->lock);
    uv_async_send(&store->answered);
}

/* Lists can be read without it. */
static void start_reading(struct sl_store *store)
{
    const struct sl_reading_options options = {.where = store->where,
                                               .store = store->db,
                                               .answered = on_read,
                                               .failed = on_not_done,
                                               .user = store};
    if (store->reading_started)
        return;
    int rc = sl_reading_new(&options, &store->reading);
    store->reading_started = true;
    if (rc < 0)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("store_not_read_beside"),
               SL_LOG_REASON(sl_strerror(rc)));
}

static void on_adder_connected(void *user)
{
    struct sl_store *store = user;
    store->watch(store->watch_user);
}

static void on_adder_took(void *user, uint64_t took_ns)
{
    struct sl_store *store = user;
    uv_mutex_lock(&store->lock);
    sl_histogram_add(&store->transactions, took_ns);
    uv_mutex_unlock(&store->lock);
}

/* Jobs can be added without it. */
static void start_adder(struct sl_store *store)
{
    const struct sl_adder_options options = {.where = store->where,
                                             .store = store->db,
                                             .host = &store->host,
                                             .added = on_added,
                                             .failed = on_not_done,
                                             .connected = on_adder_connected,
                                             .took = on_adder_took,
                                             .user = store};
    int rc = sl_adder_new(store->answered.loop, &options, &store->adder);
    if (rc < 0)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("store_adder_failed"), SL_LOG_REASON(sl_strerror(rc)));
}

/* Who opens it is served at once, however large its file is; damage is said when it is found. */
static void check_beside(struct sl_store *store)
{
    int rc = sl_page_check_start(store->where, on_pages_checked, store, &store->check);
    if (rc < 0)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("store_not_checked"), SL_LOG_REASON(sl_strerror(rc)));
}

static int open_all(uv_loop_t *loop, const char *root, struct sl_store *store, struct sl_diag *diag)
{
    int rc = store->where ? sl_schema_open(store->where, root, &store->db, diag) : -ENOMEM;
    if (rc == 0) {
        memcpy(store->identity, store->db->identity, sizeof(store->identity));
        rc = prepare(store, diag);
    }
    if (rc < 0)
        return rc;
    bool large = !store->db->shared && sl_page_check_is_long(sl_sqlite_handle(store->db));
    rc = start_worker(loop, store);
    if (rc == 0 && large)
        check_beside(store);
    if (rc < 0) {
        sl_diag_set(diag, rc, "store", "the store's thread cannot be started: %s", uv_strerror(rc));
        uv_run(loop, UV_RUN_NOWAIT); /* lets a half-made handle close before its memory goes */
    }
    return rc;
}

int sl_store_open(uv_loop_t *loop, const char *where, const char *root, struct sl_store **out,
                  struct sl_diag *diag)
{
    struct sl_store *store = sl_calloc(1, sizeof(*store));
    if (!store)
        return -ENOMEM;
    store->where = sl_strndup(where, strlen(where));
    store->wake_pipe[0] = store->wake_pipe[1] = -1;
    sl_request_queue_init(&store->waiting);
    sl_request_queue_init(&store->done);
    int rc = open_all(loop, root, store, diag);
    if (rc < 0) {
        release(store);
        return rc;
    }
    *out = store;
    return 0;
}

void sl_store_watch(struct sl_store *store, void (*changed)(void *user), void *user)
{
    store->watch = changed;
    store->watch_user = user;
    if (store->db->shared && !store->adder)
        start_adder(store);
    start_reading(store);
    uv_mutex_lock(&store->lock);
    store->listen = store->db->shared;
    wake(store);
    uv_mutex_unlock(&store->lock);
}

static void on_async_closed(uv_handle_t *handle)
{
    struct sl_store *store = handle->data;
    void (*closed)(void *) = store->closed;
    void *user = store->closed_user;
    uv_cond_destroy(&store->wake);
    uv_mutex_destroy(&store->lock);
    release(store);
    closed(user);
}

static void on_adder_closed(void *user)
{
    struct sl_store *store = user;
    for (struct sl_request *request = sl_request_queue_take_all(&store->waiting); request;) {
        struct sl_request *next = request->next;
        request->rc = request->again ? -ENOTCONN : SL_E_STATE;
        sl_request_answer(request);
        sl_request_free(request);
        request = next;
    }
    uv_close((uv_handle_t *)&store->answered, on_async_closed);
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
    wake(store);
    uv_mutex_unlock(&store->lock);
    sl_reading_stop(store->reading);
    uv_thread_join(&store->worker); /* both threads finish what they have begun: a batch, a list */
    sl_page_check_stop(store->check);
    sl_reading_close(store->reading); /* before the file's last connection, which writes */
    store->reading = NULL;
    answer_all(store);
    if (store->adder)
        sl_adder_close(store->adder, on_adder_closed, store);
    else
        on_adder_closed(store);
}

int sl_store_health(struct sl_store *store, char out_why[SL_STORE_WHY_BYTES])
{
    uv_mutex_lock(&store->lock);
    int rc = store->trouble;
    memcpy(out_why, store->why, SL_STORE_WHY_BYTES);
    uv_mutex_unlock(&store->lock);
    return rc;
}

void sl_store_latency(struct sl_store *store, struct sl_histogram *out_requests,
                      struct sl_histogram *out_transactions)
{
    uv_mutex_lock(&store->lock);
    *out_requests = store->requests;
    *out_transactions = store->transactions;
    uv_mutex_unlock(&store->lock);
}

int sl_store_post(struct sl_store *store, struct sl_request *request)
{
    int rc = 0;
    if (!request)
        return -ENOMEM;
    bool adds = store->adder && sl_job_table_is_plain(request) && sl_adder_is_there(store->adder);
    bool beside = sl_request_goes_beside(request);
    if (beside && !store->closing)
        start_reading(store); /* of a store that nobody watches */
    uv_mutex_lock(&store->lock);
    beside = beside && store->reading && store->trouble == 0;
    if (store->closing)
        rc = SL_E_STATE;
    else if (store->queued >= SL_STORE_MAX_QUEUED)
        rc = SL_E_FULL;
    if (rc == 0) {
        store->queued++;
        request->queued_ns = sl_clock_ns();
        if (!adds && !beside)
            queue(store, request);
    }
    uv_mutex_unlock(&store->lock);
    if (rc < 0)
        sl_request_free(request);
    else if (adds)
        sl_adder_add(store->adder, request);
    else if (beside)
        sl_reading_ask(store->reading, request);
    return rc;
}

bool sl_store_is_shared(const struct sl_store *store)
{
    return store->db->shared;
}

const char *sl_store_identity(const struct sl_store *store)
{
    return store->identity;
}

int sl_store_be_host(struct sl_store *store, const struct sl_store_host *host)
{
    uv_sem_t answered;
    store->host = *host;
    if (!store->db->shared)
        return 0;
    int rc = uv_sem_init(&answered, 0);
    if (rc < 0)
        return rc;
    uv_mutex_lock(&store->lock);
    store->host_asked = &answered;
    wake(store);
    uv_mutex_unlock(&store->lock);
    uv_sem_wait(&answered);
    uv_sem_destroy(&answered);
    return store->host_rc;
}

const char *sl_store_gone_directory(const struct sl_store *store)
{
    return sl_directory_id_gone(store->db);
}

const struct sl_store_host *sl_store_host_of(const struct sl_store *store)
{
    return &store->host;
}

int sl_store_let_read(struct sl_store *store, const char *reader, struct sl_diag *diag)
{
    sl_diag_hint(diag, "leave \"store_reader\" out, or name a user for it who may log in");
    if (!store->db->shared)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "store_reader", "the store is a file");
    int rc = sl_server_query_let_read(store->where, reader, diag);
    if (rc < 0)
        return rc;
    sl_diag_hint(diag, "%s", "");
    store->reader = sl_strndup(reader, strlen(reader));
    return store->reader ? 0 : -ENOMEM;
}

int sl_store_query(const struct sl_store *store, const struct sl_query *query, struct sl_json *json,
                   struct sl_diag *diag)
{
    if (!store->db->shared || query->with_audit)
        return sl_query_run(store->where, query, json, diag);
    if (store->reader)
        return sl_query_run(store->reader, query, json, diag);
    sl_diag_hint(diag, "ask with the scope admin, or give the daemon a \"store_reader\"");
    return sl_diag_set(diag, SL_E_UNSUPPORTED, "sql", "there is no user who may read alone");
}

/* host/peer/fetch.c */
#include "host/peer/fetch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "host/job/keeper.h"
#include "host/job/lab.h"
#include "host/job/peers.h"
#include "host/peer/call.h"
#include "host/spec/job_body.h"
#include "host/spec/param.h"
#include "host/spec/plan.h"
#include "host/spec/spec.h"
#include "host/store/blobs.h"
#include "host/store/store.h"

enum { TICK_MS = 1000, RENEW_TICKS = 5, MAX_FILES = 512 };

/* A job that waits for its files. */
struct waiting {
    struct waiting *next;
    struct sl_blob_fetch *of;
    struct sl_job_record job;
    struct sl_device_record device;
    char *config_json;              /* owned */
    char (*files)[SL_DIGEST_BYTES]; /* owned: that were not here */
    size_t count, at;               /* of them; the one under way */
    size_t host;                    /* the place of the next to be asked */
    unsigned round;
    bool doubt;                    /* a host could not say whether it has the file */
    uint64_t since;                /* the loop's time when it was asked for first, or grew */
    uint64_t most_bytes;           /* that there were of it */
    uint64_t not_before;           /* the loop's time */
    struct sl_peer_call *call;     /* NULL: none is under way */
    struct sl_blob_upload *upload; /* owned; NULL: none comes */
    uv_work_t work;
    int rc; /* of the work */
    bool working, cancelled, lost;
};

struct sl_blob_fetch {
    uv_loop_t *loop;
    struct sl_blob_fetch_setup setup;
    struct sl_blobs blobs;
    struct sl_lab *lab;       /* borrowed */
    struct sl_keeper *keeper; /* borrowed */
    struct waiting *all;
    uv_timer_t timer; /* while there are any */
    unsigned ticks;
    bool closing, open;
    void (*closed)(void *user);
    void *closed_user;
};

static void on_tick(uv_timer_t *timer);

static void settle_close(struct sl_blob_fetch *fetch)
{
    if (!fetch->closing || fetch->all || fetch->open)
        return;
    void (*closed)(void *) = fetch->closed;
    void *user = fetch->closed_user;
    sl_free(fetch);
    closed(user);
}

static void drop(struct waiting *waiting)
{
    struct waiting **at = &waiting->of->all;
    while (*at != waiting)
        at = &(*at)->next;
    *at = waiting->next;
    if (waiting->call)
        sl_peer_call_stop(waiting->call);
    sl_blob_upload_free(waiting->upload);
    sl_free(waiting->config_json);
    sl_free(waiting->files);
    sl_free(waiting);
}

static void stop_file(struct waiting *waiting)
{
    if (waiting->call)
        sl_peer_call_stop(waiting->call);
    waiting->call = NULL;
    sl_blob_upload_free(waiting->upload);
    waiting->upload = NULL;
}

/* Goes on from the timer: calls are not begun inside the events of others. */
static void go_on(struct waiting *waiting, uint64_t wait_ms)
{
    struct sl_blob_fetch *fetch = waiting->of;
    waiting->not_before = uv_now(fetch->loop) + wait_ms;
    if (wait_ms < TICK_MS && !fetch->closing)
        uv_timer_start(&fetch->timer, on_tick, wait_ms, TICK_MS);
}

/* This host has not got it, or did not give it whole. */
static void ask_next(struct waiting *waiting)
{
    stop_file(waiting);
    go_on(waiting, 0);
}

/* This host may have it all the same: it is away, does not know this one yet, or breaks off. */
static void doubt(struct waiting *waiting)
{
    waiting->doubt = true;
    ask_next(waiting);
}

static void note_growth(struct waiting *waiting, uint64_t bytes)
{
    if (bytes <= waiting->most_bytes)
        return;
    waiting->most_bytes = bytes;
    waiting->since = uv_now(waiting->of->loop);
}

/* Patience with hosts that cannot be asked has ended. */
static bool is_late(const struct waiting *waiting)
{
    uint64_t patience_ms = (uint64_t)SL_BLOB_FETCH_LEASES * waiting->of->setup.lease_ms;
    return uv_now(waiting->of->loop) - waiting->since >= patience_ms;
}

/* --- a file that comes --- */

/* The length is the head's; 0: it says none that can be used. */
static uint64_t length_of(struct sl_peer_call *call)
{
    const char *text = sl_peer_call_header(call, "content-length");
    size_t digits = text ? strspn(text, "0123456789") : 0;
    return digits > 0 && digits < 19 && text[digits] == '\0' ? strtoull(text, NULL, 10) : 0;
}

static int open_upload(struct waiting *waiting)
{
    const struct sl_blob_fetch *fetch = waiting->of;
    uint64_t bytes = length_of(waiting->call);
    char why[SL_KEEPER_WHY_BYTES];
    if (bytes > fetch->setup.max_bytes)
        return SL_E_LIMIT;
    if (sl_store_gone_directory(sl_lab_store(fetch->lab)))
        return -ENODEV; /* the keeper's log says which */
    if (fetch->keeper && sl_keeper_is_full(fetch->keeper, bytes, why))
        return -ENOSPC;
    return sl_blob_upload_new(&fetch->blobs, waiting->files[waiting->at], 0, fetch->setup.max_bytes,
                              &waiting->upload);
}

/* Another job fetches it, or its sender sends it: while it grows, it is waited for. */
static void await_other(struct waiting *waiting)
{
    uint64_t bytes = 0;
    if (sl_blobs_size(&waiting->of->blobs, waiting->files[waiting->at], true, &bytes) == 0)
        note_growth(waiting, bytes);
    doubt(waiting);
    go_on(waiting, TICK_MS);
}

static void say_not_fetched(const struct waiting *waiting, const char *why)
{
    sl_log(SL_LOG_WARNING, SL_LOG_EVENT("blob_not_fetched"), SL_LOG_JOB(waiting->job.id),
           SL_LOG_TEXT("sha256", waiting->files[waiting->at]), SL_LOG_REASON(why));
}

static void on_head(void *user, int status)
{
    struct waiting *waiting = user;
    char why[48];
    if (status == 404) {
        ask_next(waiting);
        return;
    }
    int rc = status == 200 ? open_upload(waiting) : -EPROTO;
    if (rc == 0)
        return;
    snprintf(why, sizeof(why), "the host answered %d", status);
    if (rc == SL_E_STATE) {
        await_other(waiting);
        return;
    }
    say_not_fetched(waiting, status == 200 ? sl_strerror(rc) : why);
    if (rc == SL_E_LIMIT)
        ask_next(waiting);
    else
        doubt(waiting);
}

static bool on_body(void *user, const void *bytes, size_t len)
{
    struct waiting *waiting = user;
    int rc = sl_blob_upload_append(waiting->upload, bytes, len);
    if (rc == SL_E_LIMIT)
        ask_next(waiting);
    else if (rc < 0)
        doubt(waiting);
    return true;
}

static void do_finish(uv_work_t *work)
{
    struct waiting *waiting = work->data;
    waiting->rc = sl_blob_upload_finish(waiting->upload);
}

static void after_finish(uv_work_t *work, int status)
{
    struct waiting *waiting = work->data;
    struct sl_blob_fetch *fetch = waiting->of;
    int rc = status < 0 ? status : waiting->rc;
    waiting->working = false;
    if (fetch->closing) {
        drop(waiting);
        settle_close(fetch);
        return;
    }
    if (rc == 0) {
        struct sl_peer_counts *counts = sl_peer_counts(fetch->setup.calls);
        counts->fetched++;
        counts->fetched_bytes += sl_blob_upload_offset(waiting->upload);
        sl_log(SL_LOG_INFO, SL_LOG_EVENT("blob_fetched"), SL_LOG_JOB(waiting->job.id),
               SL_LOG_TEXT("sha256", waiting->files[waiting->at]),
               SL_LOG_NUMBER("bytes", sl_blob_upload_offset(waiting->upload)));
    } else {
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("blob_not_kept"), SL_LOG_JOB(waiting->job.id),
               SL_LOG_TEXT("sha256", waiting->files[waiting->at]), SL_LOG_REASON(sl_strerror(rc)));
    }
    ask_next(waiting);
}

static void on_ended(void *user, int rc, const char *why)
{
    struct waiting *waiting = user;
    waiting->call = NULL;
    if (waiting->upload)
        note_growth(waiting, sl_blob_upload_offset(waiting->upload));
    if (rc < 0 || !waiting->upload) {
        say_not_fetched(waiting, rc < 0 ? why : "the host sent nothing");
        doubt(waiting);
        return;
    }
    waiting->work.data = waiting;
    if (uv_queue_work(waiting->of->loop, &waiting->work, do_finish, after_finish) < 0)
        doubt(waiting);
    else
        waiting->working = true;
}

/* --- a job --- */

/* The device is free. What it says of a job that has become another's is not heard. */
static void leave(struct waiting *waiting)
{
    struct sl_lab *lab = waiting->of->lab;
    bool cancelled = waiting->cancelled;
    sl_lab_job_ended(lab, waiting->job.id, waiting->device.name,
                     cancelled ? SL_CAUSE_USER : SL_CAUSE_LAB,
                     cancelled ? "cancelled before its files were here" : "", NULL);
    drop(waiting);
}

/* Is it still this device's, since the same start? Its lease may have run out. */
static bool is_its_own(const struct waiting *waiting, const struct sl_job_record *job)
{
    return job && job->state != SL_JOB_QUEUED && job->attempts == waiting->job.attempts &&
           strcmp(job->device, waiting->job.device) == 0;
}

/* All its files are here, or nobody has them. */
static void begin(struct waiting *waiting)
{
    struct sl_runner inner = waiting->of->setup.inner;
    const struct sl_job_record *job = sl_lab_job(waiting->of->lab, waiting->job.id);
    if (!is_its_own(waiting, job)) {
        leave(waiting);
        return;
    }
    inner.start(inner.user, job, waiting->config_json, &waiting->device);
    drop(waiting);
}

/* The next host that has an address; NULL: all were asked. */
static const struct sl_host_record *next_host(struct waiting *waiting)
{
    const struct sl_host_record *host;
    while ((host = sl_peers_next_host(sl_lab_peers(waiting->of->lab), &waiting->host)) &&
           !host->url[0])
        ;
    return host;
}

static void ask_host(struct waiting *waiting, const struct sl_host_record *host)
{
    static const struct sl_peer_call_events events = {on_head, on_body, on_ended};
    char path[32 + SL_DIGEST_BYTES];
    snprintf(path, sizeof(path), "/api/v1/blobs/%s", waiting->files[waiting->at]);
    const struct sl_peer_request request = {
        .url = host->url, .path = path, .ours = true, .least_rate = SL_BLOB_FETCH_LEAST_RATE};
    int rc =
        sl_peer_call_start(waiting->of->setup.calls, &request, &events, waiting, &waiting->call);
    if (rc == 0)
        return;
    waiting->doubt = true;
    if (!is_late(waiting))
        waiting->host--; /* the same again: it was not asked */
    waiting->not_before = uv_now(waiting->of->loop) + SL_BLOB_FETCH_PAUSE_MS;
}

/* All were asked: again, or was it the last time? Rounds in which one could not say whether it has
 * the file count when that has gone on for long. */
static bool asks_again(struct waiting *waiting)
{
    if (!waiting->doubt || is_late(waiting))
        waiting->round++;
    if (waiting->round >= SL_BLOB_FETCH_ROUNDS)
        return false;
    waiting->host = 0;
    go_on(waiting, SL_BLOB_FETCH_PAUSE_MS);
    return true;
}

/* The first of its files that is not here. */
static void find_next(struct waiting *waiting)
{
    uint64_t bytes = 0;
    while (waiting->at < waiting->count &&
           sl_blobs_touch(&waiting->of->blobs, waiting->files[waiting->at], &bytes) == 0) {
        waiting->at++;
        waiting->host = waiting->round = 0;
        waiting->doubt = false;
        waiting->most_bytes = 0;
        waiting->since = uv_now(waiting->of->loop);
    }
}

static void advance(struct waiting *waiting)
{
    struct sl_blob_fetch *fetch = waiting->of;
    if ((waiting->cancelled || waiting->lost) && !waiting->working) {
        leave(waiting);
        return;
    }
    if (waiting->working || waiting->call || uv_now(fetch->loop) < waiting->not_before)
        return;
    find_next(waiting);
    if (waiting->at == waiting->count) {
        begin(waiting);
        return;
    }
    const struct sl_host_record *host = next_host(waiting);
    if (host) {
        ask_host(waiting, host);
    } else if (!asks_again(waiting)) {
        sl_peer_counts(fetch->setup.calls)->missing++;
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("blob_at_no_host"), SL_LOG_JOB(waiting->job.id),
               SL_LOG_TEXT("sha256", waiting->files[waiting->at]));
        begin(waiting);
    }
}

/* The job stays this device's while its files come. */
static void renew(struct waiting *waiting)
{
    char json[96];
    uint64_t bytes =
        waiting->upload && !waiting->working ? sl_blob_upload_offset(waiting->upload) : 0;
    snprintf(json, sizeof(json), "{\"phase\":\"fetching\",\"fetched_bytes\":%llu}",
             (unsigned long long)bytes);
    if (sl_lab_job_progress(waiting->of->lab, waiting->job.id, waiting->device.name, "progress",
                            json) ==
        SL_E_NOT_FOUND) { /* another host's by now: the device is free again */
        waiting->lost = true;
        if (!waiting->working)
            stop_file(waiting);
    }
}

static void on_tick(uv_timer_t *timer)
{
    struct sl_blob_fetch *fetch = timer->data;
    bool renews = ++fetch->ticks % RENEW_TICKS == 0;
    for (struct waiting *waiting = fetch->all, *next; waiting; waiting = next) {
        next = waiting->next;
        if (renews)
            renew(waiting);
        advance(waiting);
    }
    if (!fetch->all)
        uv_timer_stop(timer);
}

/* --- the runner --- */

struct looking {
    const struct sl_blobs *blobs;
    char (*files)[SL_DIGEST_BYTES];
    size_t count;
};

static int look(void *user, const struct sl_param *param, const char *path, const char **sha256)
{
    struct looking *looking = user;
    uint64_t bytes;
    (void)param, (void)path;
    if (!*sha256 || sl_blobs_touch(looking->blobs, *sha256, &bytes) != SL_E_NOT_FOUND)
        return 0;
    for (size_t i = 0; i < looking->count; i++)
        if (strcmp(looking->files[i], *sha256) == 0)
            return 0;
    if (looking->count == MAX_FILES)
        return SL_E_LIMIT;
    snprintf(looking->files[looking->count++], SL_DIGEST_BYTES, "%s", *sha256);
    return 0;
}

/* The files of the job that are not here: how many, 0 also where it cannot be read, which the run
 * says. */
static size_t missing_files(const struct sl_blob_fetch *fetch, const char *config_json,
                            char (*files)[SL_DIGEST_BYTES])
{
    struct looking looking = {&fetch->blobs, files, 0};
    struct sl_bytes body = {(const uint8_t *)config_json, strlen(config_json)};
    struct sl_diag diag = {0};
    struct sl_spec spec;
    if (sl_job_body_read(body, &spec, &diag) < 0)
        return 0;
    int rc = sl_params_each_file(&spec, look, &looking);
    if (rc == 0 && spec.plan)
        rc = sl_plan_each_file(spec.plan, look, &looking);
    sl_spec_fini(&spec);
    return rc < 0 ? 0 : looking.count;
}

/* false: it can begin at once. */
static bool waits(struct sl_blob_fetch *fetch, const struct sl_job_record *job,
                  const char *config_json, const struct sl_device_record *device)
{
    size_t none = 0;
    if (!sl_peers_next_host(sl_lab_peers(fetch->lab), &none))
        return false; /* this host is alone */
    struct waiting *waiting = sl_calloc(1, sizeof(*waiting));
    if (!waiting)
        return false;
    *waiting =
        (struct waiting){.of = fetch, .job = *job, .device = *device, .since = uv_now(fetch->loop)};
    waiting->files = sl_calloc(MAX_FILES, sizeof(*waiting->files));
    if (waiting->files)
        waiting->count = missing_files(fetch, config_json, waiting->files);
    if (waiting->count > 0)
        waiting->config_json = sl_strndup(config_json, strlen(config_json));
    if (!waiting->config_json) {
        sl_free(waiting->files);
        sl_free(waiting);
        return false;
    }
    waiting->next = fetch->all;
    fetch->all = waiting;
    go_on(waiting, 0);
    return true;
}

static void start(void *user, const struct sl_job_record *job, const char *config_json,
                  const struct sl_device_record *device)
{
    struct sl_blob_fetch *fetch = user;
    if (!fetch->closing && !waits(fetch, job, config_json, device))
        fetch->setup.inner.start(fetch->setup.inner.user, job, config_json, device);
}

static struct waiting *find(const struct sl_blob_fetch *fetch, uint64_t job, const char *device)
{
    struct waiting *waiting = fetch->all;
    while (waiting && (waiting->job.id != job || strcmp(waiting->device.name, device) != 0))
        waiting = waiting->next;
    return waiting;
}

static void cancel(void *user, uint64_t job, const char *device)
{
    struct sl_blob_fetch *fetch = user;
    struct waiting *waiting = find(fetch, job, device);
    if (!waiting) {
        if (!fetch->closing)
            fetch->setup.inner.cancel(fetch->setup.inner.user, job, device);
        return;
    }
    waiting->cancelled = true;
    if (!waiting->working)
        stop_file(waiting);
    go_on(waiting, 0);
}

static uint64_t held(void *user, const char *device)
{
    const struct sl_blob_fetch *fetch = user;
    return fetch->setup.inner.held ? fetch->setup.inner.held(fetch->setup.inner.user, device) : 0;
}

static void forget(void *user, const char *device)
{
    const struct sl_blob_fetch *fetch = user;
    if (fetch->setup.inner.forget)
        fetch->setup.inner.forget(fetch->setup.inner.user, device);
}

static void lend(void *user, const char *device, bool lent)
{
    const struct sl_blob_fetch *fetch = user;
    if (fetch->setup.inner.lend)
        fetch->setup.inner.lend(fetch->setup.inner.user, device, lent);
}

/* --- life --- */

int sl_blob_fetch_new(uv_loop_t *loop, const struct sl_blob_fetch_setup *setup,
                      struct sl_blob_fetch **out)
{
    struct sl_diag diag = {0};
    struct sl_blob_fetch *fetch = sl_calloc(1, sizeof(*fetch));
    if (!fetch)
        return -ENOMEM;
    *fetch = (struct sl_blob_fetch){.loop = loop, .setup = *setup, .open = true};
    int rc = sl_blobs_init(&fetch->blobs, setup->state_dir, &diag);
    if (rc < 0) {
        sl_free(fetch);
        return rc;
    }
    uv_timer_init(loop, &fetch->timer);
    fetch->timer.data = fetch;
    *out = fetch;
    return 0;
}

struct sl_runner sl_blob_fetch_runner(struct sl_blob_fetch *fetch)
{
    return (struct sl_runner){start, cancel, fetch, held, forget, lend};
}

void sl_blob_fetch_serve(struct sl_blob_fetch *fetch, struct sl_lab *lab, struct sl_keeper *keeper)
{
    fetch->lab = lab;
    fetch->keeper = keeper;
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct sl_blob_fetch *fetch = handle->data;
    fetch->open = false;
    settle_close(fetch);
}

void sl_blob_fetch_close(struct sl_blob_fetch *fetch, void (*closed)(void *user), void *user)
{
    fetch->closing = true;
    fetch->closed = closed;
    fetch->closed_user = user;
    for (struct waiting *waiting = fetch->all, *next; waiting; waiting = next) {
        next = waiting->next;
        if (!waiting->working)
            drop(waiting);
    }
    uv_close((uv_handle_t *)&fetch->timer, on_timer_closed);
}

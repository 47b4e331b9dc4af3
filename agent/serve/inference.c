/* agent/serve/inference.c */
#include "agent/serve/inference.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <uv.h>

#include "agent/serve/away.h"
#include "agent/serve/command.h"
#include "agent/serve/crash_note.h"
#include "agent/serve/job_dir.h"
#include "agent/serve/last_operator.h"
#include "agent/serve/load.h"
#include "agent/serve/runtime_folder.h"
#include "agent/stream/spool.h"
#include "agent/trace/ring.h"
#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "common/format/sltrace_seal.h"
#include "proto/job.pb-c.h"

enum {
    RING_RECORDS = 8192,
    BATCH_RECORDS = 1024,
    DRAIN_MS = 5,
    READ_BYTES = 16 << 10,
    GRACE_MS = 2000,
    TERM_MS = 5000, /* from SIGTERM to SIGKILL */
};

struct sl_inference {
    uv_loop_t *loop;
    struct sl_job_dir *dir; /* borrowed */
    struct sl_inference_events events;
    void *user;
    struct sl_ring *ring;
    struct sl_trace_sealer sealer;
    struct sl_buf sealed; /* reused */
    struct sl_load *load; /* NULL: the measured process is alone, or it was before */
    char load_failed[160];
    struct sl_command command; /* of a process that is not spawned yet */
    uv_process_t process;
    uv_pipe_t out, err;
    uv_timer_t drain, watchdog; /* the first where instructions are counted */
    uv_async_t woken;           /* by `waiter`, else: a thread that sleeps until the ring calls */
    uv_thread_t waiter;
    _Atomic bool waits; /* the thread is there, and goes on */
    struct sl_away away;
    char affinity[SL_AWAY_BYTES]; /* of the measured process; "": anywhere */
    bool counted;
    int open_handles, open_pipes;
    bool tried, spawned, exited, /* `tried`: the process handle is one */
        cancelled, timed_out, closing;
    bool is_parent; /* of external runners */
    int spawn_error, exit_signal;
    pid_t pid; /* of the process, and when it began */
    uint64_t began_utc_ms;
    int64_t exit_status;
    uint32_t pair, time_limit_ms; /* the latter the command's, which ends with the spawn */
    char read_buffer[READ_BYTES];
    struct sl_trace_record batch[BATCH_RECORDS];
};

static void inference_free(struct sl_inference *inference)
{
    sl_ring_free(inference->ring);
    sl_buf_fini(&inference->sealed);
    sl_command_fini(&inference->command);
    sl_free(inference);
}

static Sme2lab__Proto__Outcome outcome_of(const struct sl_inference *inference)
{
    if (inference->spawn_error < 0)
        return SME2LAB__PROTO__OUTCOME__OUTCOME_NOT_STARTED;
    if (inference->load_failed[0] && !inference->cancelled)
        return SME2LAB__PROTO__OUTCOME__OUTCOME_FAILED;
    if (inference->cancelled)
        return SME2LAB__PROTO__OUTCOME__OUTCOME_CANCELLED;
    if (inference->timed_out)
        return SME2LAB__PROTO__OUTCOME__OUTCOME_TIMED_OUT;
    if (inference->exit_signal != 0)
        return SME2LAB__PROTO__OUTCOME__OUTCOME_CRASHED;
    return inference->exit_status != 0 ? SME2LAB__PROTO__OUTCOME__OUTCOME_FAILED
                                       : SME2LAB__PROTO__OUTCOME__OUTCOME_DONE;
}

static void describe(const struct sl_inference *inference, char *out, size_t size)
{
    switch (outcome_of(inference)) {
    case SME2LAB__PROTO__OUTCOME__OUTCOME_NOT_STARTED:
        snprintf(out, size, "the inference process could not be started: %s",
                 uv_strerror(inference->spawn_error));
        break;
    case SME2LAB__PROTO__OUTCOME__OUTCOME_CANCELLED:
        snprintf(out, size, "cancelled");
        break;
    case SME2LAB__PROTO__OUTCOME__OUTCOME_TIMED_OUT:
        snprintf(out, size, "the inference process hung: ended after %u ms",
                 inference->time_limit_ms);
        break;
    case SME2LAB__PROTO__OUTCOME__OUTCOME_CRASHED:
        snprintf(out, size, "the inference process was ended by signal %d (%s)",
                 inference->exit_signal, strsignal(inference->exit_signal));
        break;
    case SME2LAB__PROTO__OUTCOME__OUTCOME_FAILED:
        if (inference->load_failed[0])
            snprintf(out, size, "%s", inference->load_failed);
        else
            snprintf(out, size, "the inference process ended with exit code %d",
                     (int)inference->exit_status);
        break;
    default:
        out[0] = '\0';
    }
}

/* Why not all that the process gave was kept: the disk's -errno, SL_E_FULL past the bound, or 0. */
static int collect(struct sl_inference *inference)
{
    int rc = inference->spawned ? sl_job_dir_collect(inference->dir) : 0;
    for (int i = 0; i < SL_STREAM_COUNT; i++) {
        int stream_rc = sl_spool_error(inference->dir->streams[i]);
        if (stream_rc < 0)
            return stream_rc;
    }
    return rc;
}

static int store_result(struct sl_inference *inference)
{
    Sme2lab__Proto__Result result = SME2LAB__PROTO__RESULT__INIT;
    char detail[200], operator_name[SL_LAST_OPERATOR_BYTES];
    describe(inference, detail, sizeof(detail));
    sl_last_operator_find(inference->dir->streams[SL_STREAM_TRACE],
                          sl_ring_current(inference->ring), operator_name);
    result.last_operator = operator_name;
    result.outcome = outcome_of(inference);
    result.exit_code = (int32_t)inference->exit_status;
    result.signal = (uint32_t)inference->exit_signal;
    result.detail = detail;
    int rc = collect(inference);
    size_t said = strlen(detail);
    if (rc < 0) /* what the spools dropped is in the result's numbers as well */
        snprintf(detail + said, sizeof(detail) - said, "%swhat it gave could not all be kept: %s",
                 said > 0 ? "; " : "", sl_strerror(rc));
    result.storage_failed = rc < 0 && rc != SL_E_FULL;
    return sl_job_dir_finish(inference->dir, &result);
}

static void end(struct sl_inference *inference)
{
    struct sl_inference_events events = inference->events;
    void *user = inference->user;
    int rc = store_result(inference);
    inference_free(inference);
    events.ended(user, rc);
}

static void on_crash_noted(void *user, const struct sl_buf *said)
{
    struct sl_inference *inference = user;
    if (said->size > 0)
        (void)sl_spool_append(inference->dir->streams[SL_STREAM_LOG], said->data, said->size);
    end(inference);
}

/* A process that crashed can say nothing any more: its system may. */
static void on_handle_closed(uv_handle_t *handle)
{
    struct sl_inference *inference = handle->data;
    if (--inference->open_handles > 0)
        return;
    if (outcome_of(inference) != SME2LAB__PROTO__OUTCOME__OUTCOME_CRASHED ||
        sl_crash_note_start(inference->loop, "/", inference->pid, inference->began_utc_ms,
                            on_crash_noted, inference) < 0)
        end(inference);
}

/* Moves what the ring holds to the trace spool. The last call seals the end. */
static void drain(struct sl_inference *inference, bool last)
{
    struct sl_spool *spool = inference->dir->streams[SL_STREAM_TRACE];
    bool moved = false;
    for (long n; (n = sl_ring_pop(inference->ring, inference->batch, BATCH_RECORDS)) > 0;
         moved = true) {
        for (long i = 0; i < n; i++) {
            if (inference->batch[i].kind == SL_TRACE_BLOCK &&
                inference->batch[i].block.iteration != UINT32_MAX)
                inference->pair = inference->batch[i].block.pair;
        }
        inference->sealed.size = 0;
        int rc = sl_trace_sealer_put(&inference->sealer, inference->batch, (size_t)n,
                                     &inference->sealed);
        if (rc == 0)
            sl_spool_append(spool, inference->sealed.data,
                            inference->sealed.size); /* a full one counts what it drops */
    }
    if (moved || last) { /* a sealed end can be read even if nothing follows */
        inference->sealed.size = 0;
        if (sl_trace_sealer_flush(&inference->sealer, &inference->sealed) == 0 &&
            inference->sealed.size > 0)
            sl_spool_append(spool, inference->sealed.data, inference->sealed.size);
        inference->events.progress(inference->user, inference->pair);
    }
}

static void on_drain(uv_timer_t *timer)
{
    drain(timer->data, false);
}

static void on_woken(uv_async_t *async)
{
    struct sl_inference *inference = async->data;
    if (!inference->closing)
        drain(inference, false);
}

/* Until the process calls it costs nobody a cycle. */
static void wait_for_calls(void *user)
{
    struct sl_inference *inference = user;
    while (atomic_load(&inference->waits)) {
        sl_ring_wait(inference->ring);
        uv_async_send(&inference->woken);
    }
}

/* A counted process calls nobody, so that each of its runs is the same. */
static void begin_draining(struct sl_inference *inference)
{
    atomic_store(&inference->waits, !inference->counted);
    if (inference->counted || uv_thread_create(&inference->waiter, wait_for_calls, inference) < 0) {
        atomic_store(&inference->waits, false);
        uv_timer_start(&inference->drain, on_drain, DRAIN_MS, DRAIN_MS);
    }
}

static void end_waiter(struct sl_inference *inference)
{
    if (!atomic_exchange(&inference->waits, false))
        return;
    sl_ring_wake(inference->ring);
    uv_thread_join(&inference->waiter);
}

static void finish_if_over(struct sl_inference *inference);

static void on_load_closed(void *user)
{
    struct sl_inference *inference = user;
    inference->load = NULL;
    finish_if_over(inference);
}

/* Ends when the process has, and the load, and both its pipes are read to their ends. */
static void finish_if_over(struct sl_inference *inference)
{
    if (!inference->exited || inference->open_pipes > 0 || inference->closing)
        return;
    if (inference->load) {
        sl_load_stop(inference->load);
        return;
    }
    inference->closing = true;
    end_waiter(inference);
    sl_away_return(&inference->away);
    drain(inference, true);
    uv_close((uv_handle_t *)&inference->woken, on_handle_closed);
    uv_close((uv_handle_t *)&inference->drain, on_handle_closed);
    uv_close((uv_handle_t *)&inference->watchdog, on_handle_closed);
    uv_close((uv_handle_t *)&inference->out, on_handle_closed);
    uv_close((uv_handle_t *)&inference->err, on_handle_closed);
    if (inference->tried)
        uv_close((uv_handle_t *)&inference->process, on_handle_closed);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    struct sl_inference *inference = handle->data;
    (void)suggested;
    *buf = uv_buf_init(inference->read_buffer, READ_BYTES);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct sl_inference *inference = stream->data;
    int which = stream == (uv_stream_t *)&inference->out ? SL_STREAM_OUTPUT : SL_STREAM_LOG;
    if (n > 0) {
        sl_spool_append(inference->dir->streams[which], buf->base, (size_t)n);
        inference->events.progress(inference->user, inference->pair);
    } else if (n < 0) {
        uv_read_stop(stream);
        inference->open_pipes--;
        finish_if_over(inference);
    }
}

static void on_term_over(uv_timer_t *timer)
{
    struct sl_inference *inference = timer->data;
    if (!inference->exited)
        kill(-inference->process.pid, SIGKILL);
}

/* Kills the whole group: an emulator and what it started. External runners have groups of their
 * own: the process that starts them ends them, and is given time to. */
static void kill_group(struct sl_inference *inference)
{
    if (!inference->spawned || inference->exited)
        return;
    kill(-inference->process.pid, inference->is_parent ? SIGTERM : SIGKILL);
    if (inference->is_parent && !uv_is_active((uv_handle_t *)&inference->watchdog))
        uv_timer_start(&inference->watchdog, on_term_over, TERM_MS, 0);
}

/* Ends the measured process, or what would have come to it. */
static void end_process(struct sl_inference *inference)
{
    if (inference->spawned) {
        kill_group(inference);
        return;
    }
    inference->exited = true;
    finish_if_over(inference);
}

/* A descendant may hold the pipes open for ever after the process is gone: a grace, then they count
 * as ended. */
static void on_grace_over(uv_timer_t *timer)
{
    struct sl_inference *inference = timer->data;
    inference->open_pipes = 0;
    finish_if_over(inference);
}

static void on_exit(uv_process_t *process, int64_t status, int signal)
{
    struct sl_inference *inference = process->data;
    inference->exited = true;
    inference->exit_status = status;
    inference->exit_signal = signal;
    uv_timer_start(&inference->watchdog, on_grace_over, GRACE_MS, 0);
    finish_if_over(inference);
}

static void on_watchdog(uv_timer_t *timer)
{
    struct sl_inference *inference = timer->data;
    inference->timed_out = true;
    end_process(inference);
}

static void on_not_started(uv_timer_t *timer)
{
    struct sl_inference *inference = timer->data;
    inference->exited = true;
    finish_if_over(inference);
}

static int spawn(struct sl_inference *inference, struct sl_command *command)
{
    uv_stdio_container_t stdio[4] = {
        {.flags = UV_IGNORE},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&inference->out},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&inference->err},
        {.flags = UV_INHERIT_FD, .data.fd = sl_ring_fd(inference->ring)},
    };
    uv_process_options_t options = {
        .exit_cb = on_exit,
        .file = command->argv[0],
        .args = command->argv,
        .env = command->environment[0] ? command->environment : NULL,
        .cwd = command->cwd,
        .flags = UV_PROCESS_DETACHED, /* a group of its own, to be killed whole */
        .stdio_count = 4,
        .stdio = stdio,
    };
    inference->tried = true;
    inference->open_handles++;
    inference->began_utc_ms = sl_clock_utc_ms();
    int rc = uv_spawn(inference->loop, &inference->process, &options);
    if (rc < 0)
        return rc;
    inference->spawned = true;
    inference->pid = inference->process.pid;
    inference->open_pipes = 2;
    uv_read_start((uv_stream_t *)&inference->out, on_alloc, on_read);
    uv_read_start((uv_stream_t *)&inference->err, on_alloc, on_read);
    return 0;
}

static int init_handles(struct sl_inference *inference)
{
    int rc = uv_async_init(inference->loop, &inference->woken, on_woken);
    if (rc < 0)
        return rc;
    inference->woken.data = inference;
    uv_timer_init(inference->loop, &inference->drain); /* none of these can fail */
    uv_timer_init(inference->loop, &inference->watchdog);
    uv_pipe_init(inference->loop, &inference->out, 0);
    uv_pipe_init(inference->loop, &inference->err, 0);
    inference->drain.data = inference->watchdog.data = inference;
    inference->out.data = inference->err.data = inference->process.data = inference;
    inference->open_handles = 5; /* uv_spawn() makes the process a handle even when it fails */
    return 0;
}

/* The measured process; what it was to be is no longer needed. */
static void launch(struct sl_inference *inference)
{
    inference->spawn_error = spawn(inference, &inference->command);
    sl_command_fini(&inference->command);
    if (inference->spawn_error < 0) {
        uv_timer_start(&inference->watchdog, on_not_started, 0, 0);
        return;
    }
    sl_away_go(&inference->away, inference->affinity); /* after the process, which may be there */
    begin_draining(inference);
}

static void on_load_ready(void *user)
{
    struct sl_inference *inference = user;
    if (!inference->exited) /* not cancelled in the meantime */
        launch(inference);
}

static void on_load_failed(void *user, const char *why)
{
    struct sl_inference *inference = user;
    snprintf(inference->load_failed, sizeof(inference->load_failed), "%s", why);
    end_process(inference);
}

static void begin(struct sl_inference *inference, const char *self, const char *workdir,
                  const Sme2lab__Proto__Job *job)
{
    static const struct sl_load_events events = {on_load_ready, on_load_failed, on_load_closed};
    inference->is_parent = job->n_arms > 0;
    inference->time_limit_ms = inference->command.time_limit_ms;
    if (inference->time_limit_ms != 0)
        uv_timer_start(&inference->watchdog, on_watchdog, inference->time_limit_ms, 0);
    if (job->concurrency < 2 || job->n_task > 0) { /* beside a task nothing runs */
        launch(inference);
        return;
    }
    int rc = sl_load_start(inference->loop, self, workdir, job, inference->dir, &events, inference,
                           &inference->load);
    if (rc == 0)
        return;
    snprintf(inference->load_failed, sizeof(inference->load_failed),
             "the load cannot be started: %s", sl_strerror(rc));
    uv_timer_start(&inference->watchdog, on_not_started, 0, 0);
}

int sl_inference_start(uv_loop_t *loop, const char *self, const char *workdir,
                       const Sme2lab__Proto__Job *job, struct sl_job_dir *dir,
                       const struct sl_inference_events *events, void *user,
                       struct sl_inference **out)
{
    struct sl_inference *inference = sl_calloc(1, sizeof(*inference));
    if (!inference)
        return -ENOMEM;
    *inference = (struct sl_inference){.loop = loop, .dir = dir, .events = *events, .user = user};
    sl_buf_init(&inference->sealed, (BATCH_RECORDS + 16) * 2 * sizeof(struct sl_trace_record));
    sl_trace_sealer_init(&inference->sealer);
    int rc = sl_ring_new(RING_RECORDS, &inference->ring);
    if (rc == 0)
        rc = sl_runtime_folder_make(workdir, job, dir);
    if (rc == 0)
        rc = sl_command_init(&inference->command, self, workdir, job, dir);
    if (rc == 0)
        rc = init_handles(inference);
    if (rc < 0) {
        inference_free(inference);
        return rc;
    }
    snprintf(inference->affinity, sizeof(inference->affinity), "%s", job->affinity);
    inference->counted = strcmp(job->clock, "marks") == 0;
    begin(inference, self, workdir, job);
    *out = inference;
    return 0;
}

void sl_inference_cancel(struct sl_inference *inference)
{
    if (inference->exited)
        return;
    inference->cancelled = true;
    end_process(inference);
}

void sl_inference_proceed(struct sl_inference *inference, const Sme2lab__Proto__Proceed *proceed)
{
    sl_ring_allow(inference->ring, (struct sl_ring_allowance){proceed->pairs, proceed->last});
}

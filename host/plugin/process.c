/* host/plugin/process.c */
#include "host/plugin/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <uv.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "host/plugin/line.h"
#include "host/spec/plugin_config.h"

enum {
    IN,
    OUT,
    ERR,
    PIPES,
    READ_BYTES = 16 << 10,
    SECOND_MS = 1000,
    WELL_MS = 60000, /* after so long the next back-off is the first again */
    LOGGED_PER_S = 20,
    WHY_BYTES = 160,
    LOGGED_BYTES = 1024
};

/* One life of the plug-in. */
struct child {
    struct sl_plugin_process *owner;
    uv_process_t process;
    uv_pipe_t pipes[PIPES];
    int open_handles;
    bool exited, silent; /* the latter: its output has ended */
    int64_t exit_code;
    int signal;
    struct sl_plugin_lines said, logged;
    uint64_t second; /* the loop's, of the counts below */
    unsigned said_count, logged_count;
    size_t bytes[PIPES]; /* read from each */
    bool paused[PIPES];  /* not read until the next second */
    bool flooded;        /* that was said of this second */
};

struct sl_plugin_process {
    uv_loop_t *loop;
    const char *name;
    const char *const *words;
    size_t count;
    struct sl_plugin_process_events events;
    void *user;
    struct child *child; /* NULL: it does not run */
    int old;             /* children whose handles are being closed */
    uv_timer_t wait;  /* to the next start; after a child's end, or the request for it, to the last
                          of it */
    uv_timer_t again; /* to the next second, when a flood is read on */
    unsigned starts;  /* in a row that failed */
    uint64_t started_ms; /* the loop's */
    int open_handles;
    bool closing;
    void (*closed)(void *user);
    void *closed_user;
    char bytes[READ_BYTES];
};

struct writing {
    uv_write_t request;
    char text[];
};

static void on_timer(uv_timer_t *timer);

static void kill_group(const struct child *child, int signal)
{
    kill(-uv_process_get_pid(&child->process), signal);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct sl_plugin_process *process = handle->data;
    void (*closed)(void *) = process->closed;
    void *user = process->closed_user;
    if (--process->open_handles > 0)
        return;
    sl_free(process);
    closed(user);
}

static void finish_close(struct sl_plugin_process *process)
{
    if (!process->closing || process->child || process->old > 0 ||
        uv_is_closing((uv_handle_t *)&process->wait))
        return;
    uv_close((uv_handle_t *)&process->wait, on_handle_closed);
    uv_close((uv_handle_t *)&process->again, on_handle_closed);
}

static void on_child_closed(uv_handle_t *handle)
{
    struct child *child = handle->data;
    struct sl_plugin_process *owner = child->owner;
    if (--child->open_handles > 0)
        return;
    sl_free(child);
    owner->old--;
    finish_close(owner);
}

static uint64_t back_off(const struct sl_plugin_process *process)
{
    uint64_t pause = SL_PLUGIN_BACK_OFF_MS;
    for (unsigned i = 1; i < process->starts && pause < SL_PLUGIN_BACK_OFF_MAX_MS; i++)
        pause *= 2;
    return pause < SL_PLUGIN_BACK_OFF_MAX_MS ? pause : SL_PLUGIN_BACK_OFF_MAX_MS;
}

/* This life is over; another one comes. */
static void bury(struct child *child, bool started, const char *why)
{
    struct sl_plugin_process *process = child->owner;
    process->child = NULL;
    process->old++;
    uv_close((uv_handle_t *)&child->process, on_child_closed);
    for (int i = 0; i < PIPES; i++)
        uv_close((uv_handle_t *)&child->pipes[i], on_child_closed);
    uv_timer_stop(&process->again);
    uv_timer_stop(&process->wait);
    if (process->closing)
        return;
    bool well = started && uv_now(process->loop) - process->started_ms >= WELL_MS;
    process->starts = well ? 1 : process->starts + 1;
    uv_timer_start(&process->wait, on_timer, back_off(process), 0);
    process->events.down(process->user, started, why);
}

static void bury_ended(struct child *child)
{
    char why[WHY_BYTES];
    if (child->signal != 0)
        snprintf(why, sizeof(why), "it was ended by signal %d", child->signal);
    else
        snprintf(why, sizeof(why), "it ended with exit code %d", (int)child->exit_code);
    bury(child, true, why);
}

/* Its own children may not outlive it, and what it said last is still read. */
static void on_exit(uv_process_t *handle, int64_t code, int signal)
{
    struct child *child = handle->data;
    child->exited = true;
    child->exit_code = code;
    child->signal = signal;
    kill_group(child, SIGKILL);
    if (child->silent)
        bury_ended(child);
    else
        uv_timer_start(&child->owner->wait, on_timer, SL_PLUGIN_END_MS, 0);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
    struct child *child = handle->data;
    (void)suggested;
    *out = uv_buf_init(child->owner->bytes, READ_BYTES);
}

static void next_second(struct child *child)
{
    uint64_t now = uv_now(child->owner->loop);
    if (now - child->second < SECOND_MS)
        return;
    if (child->logged_count > LOGGED_PER_S)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("plugin_said_more"),
               SL_LOG_TEXT("plugin", child->owner->name),
               SL_LOG_NUMBER("lines_left_out", child->logged_count - LOGGED_PER_S));
    child->second = now;
    child->said_count = child->logged_count = 0;
    child->bytes[OUT] = child->bytes[ERR] = 0;
    child->flooded = false;
}

static void on_said(void *user, struct sl_bytes line, bool whole)
{
    struct child *child = user;
    child->said_count++;
    if (line.size > 0 && !child->owner->closing)
        child->owner->events.line(child->owner->user, line, whole);
}

static void listen_to(struct child *child, int pipe);

static void on_again(uv_timer_t *timer)
{
    const struct sl_plugin_process *process = timer->data;
    struct child *child = process->child;
    if (!child)
        return;
    next_second(child);
    for (int pipe = OUT; pipe <= ERR; pipe++)
        if (child->paused[pipe])
            listen_to(child, pipe);
}

/* Bytes that were read count; past a limit the rest of the second is waited for. */
static void budget(struct child *child, int pipe, size_t size)
{
    struct sl_plugin_process *process = child->owner;
    child->bytes[pipe] += size;
    if (child->bytes[pipe] <= SL_PLUGIN_BYTES_PER_S &&
        (pipe != OUT || child->said_count <= SL_PLUGIN_LINES_PER_S))
        return;
    child->paused[pipe] = true;
    uv_read_stop((uv_stream_t *)&child->pipes[pipe]);
    uv_timer_start(&process->again, on_again, child->second + SECOND_MS - uv_now(process->loop), 0);
    if (!child->flooded && !process->closing)
        process->events.flood(process->user);
    child->flooded = true;
}

static void on_out(uv_stream_t *stream, ssize_t size, const uv_buf_t *buf)
{
    struct child *child = stream->data;
    if (size < 0) {
        uv_read_stop(stream);
        child->silent = true;
        if (child->exited)
            bury_ended(child);
        return;
    }
    next_second(child);
    sl_plugin_lines_take(&child->said, buf->base, (size_t)size, on_said, child);
    budget(child, OUT, (size_t)size);
}

/* Its standard error goes into the log, of each second the first lines. */
static void on_logged(void *user, struct sl_bytes line, bool whole)
{
    struct child *child = user;
    char text[LOGGED_BYTES];
    (void)whole;
    if (line.size == 0 || child->logged_count++ >= LOGGED_PER_S)
        return;
    snprintf(text, sizeof(text), "%.*s", (int)line.size, (const char *)line.data);
    sl_log(SL_LOG_INFO, SL_LOG_EVENT("plugin_said"), SL_LOG_TEXT("plugin", child->owner->name),
           SL_LOG_QUOTED("text", text));
}

static void on_err(uv_stream_t *stream, ssize_t size, const uv_buf_t *buf)
{
    struct child *child = stream->data;
    if (size < 0) {
        uv_read_stop(stream);
        return;
    }
    next_second(child);
    sl_plugin_lines_take(&child->logged, buf->base, (size_t)size, on_logged, child);
    budget(child, ERR, (size_t)size);
}

static void listen_to(struct child *child, int pipe)
{
    child->paused[pipe] = false;
    uv_read_start((uv_stream_t *)&child->pipes[pipe], on_alloc, pipe == OUT ? on_out : on_err);
}

static int spawn(struct child *child)
{
    struct sl_plugin_process *process = child->owner;
    char *args[SL_PLUGIN_MAX_WORDS + 1] = {NULL};
    uv_stdio_container_t stdio[PIPES];
    for (size_t i = 0; i < process->count && i < SL_PLUGIN_MAX_WORDS; i++)
        args[i] = (char *)(uintptr_t)process->words[i];
    for (int i = 0; i < PIPES; i++) {
        stdio[i].flags = UV_CREATE_PIPE | (i == IN ? UV_READABLE_PIPE : UV_WRITABLE_PIPE);
        stdio[i].data.stream = (uv_stream_t *)&child->pipes[i];
    }
    const uv_process_options_t options = {.file = args[0],
                                          .args = args,
                                          .flags = UV_PROCESS_DETACHED,
                                          .stdio = stdio,
                                          .stdio_count = PIPES,
                                          .exit_cb = on_exit};
    return uv_spawn(process->loop, &child->process, &options);
}

static void start(struct sl_plugin_process *process)
{
    struct child *child = sl_calloc(1, sizeof(*child));
    if (!child) {
        uv_timer_start(&process->wait, on_timer, SL_PLUGIN_BACK_OFF_MAX_MS, 0);
        process->events.down(process->user, false, sl_strerror(-ENOMEM));
        return;
    }
    child->owner = process;
    for (int i = 0; i < PIPES; i++) {
        uv_pipe_init(process->loop, &child->pipes[i], 0); /* cannot fail */
        child->pipes[i].data = child;
    }
    child->process.data = child;
    child->open_handles = PIPES + 1;
    child->second = process->started_ms = uv_now(process->loop);
    process->child = child;
    int rc = spawn(child);
    if (rc < 0) {
        bury(child, false, sl_strerror(rc));
        return;
    }
    listen_to(child, OUT);
    listen_to(child, ERR);
    process->events.up(process->user);
}

static void on_timer(uv_timer_t *timer)
{
    struct sl_plugin_process *process = timer->data;
    if (!process->child && !process->closing)
        start(process);
    else if (process->child && process->child->exited)
        bury_ended(process->child); /* something that left its group has its output still */
    else if (process->child)
        kill_group(process->child, SIGKILL);
    finish_close(process);
}

int sl_plugin_process_new(uv_loop_t *loop, const char *name, const char *const *words, size_t count,
                          const struct sl_plugin_process_events *events, void *user,
                          struct sl_plugin_process **out)
{
    struct sl_plugin_process *process = sl_calloc(1, sizeof(*process));
    if (!process)
        return -ENOMEM;
    process->loop = loop;
    process->name = name;
    process->words = words;
    process->count = count;
    process->events = *events;
    process->user = user;
    uv_timer_init(loop, &process->wait); /* these cannot fail */
    uv_timer_init(loop, &process->again);
    process->wait.data = process->again.data = process;
    process->open_handles = 2;
    uv_timer_start(&process->wait, on_timer, 0, 0);
    *out = process;
    return 0;
}

bool sl_plugin_process_is_up(const struct sl_plugin_process *process)
{
    return process->child && !process->child->exited;
}

static void on_written(uv_write_t *request, int status)
{
    (void)status; /* an end of its input comes out of its exit */
    sl_free(request->data);
}

int sl_plugin_process_say(struct sl_plugin_process *process, const char *text, size_t len)
{
    struct child *child = process->child;
    if (!sl_plugin_process_is_up(process) || process->closing)
        return SL_E_STATE;
    uv_stream_t *in = (uv_stream_t *)&child->pipes[IN];
    if (uv_stream_get_write_queue_size(in) + len + 1 > SL_PLUGIN_UNREAD_BYTES)
        return SL_E_FULL;
    struct writing *writing = sl_malloc(1, sizeof(*writing) + len + 1);
    if (!writing)
        return -ENOMEM;
    memcpy(writing->text, text, len);
    writing->text[len] = '\n';
    writing->request.data = writing;
    uv_buf_t buf = uv_buf_init(writing->text, (unsigned)(len + 1));
    int rc = uv_write(&writing->request, in, &buf, 1, on_written);
    if (rc < 0)
        sl_free(writing);
    return rc;
}

void sl_plugin_process_close(struct sl_plugin_process *process, void (*closed)(void *user),
                             void *user)
{
    struct child *child = process->child;
    process->closing = true;
    process->closed = closed;
    process->closed_user = user;
    uv_timer_stop(&process->wait);
    if (child && !child->exited)
        kill_group(child, SIGTERM);
    /* With no child the rest is closed from the loop by this, too. */
    uv_timer_start(&process->wait, on_timer, child ? SL_PLUGIN_END_MS : 0, 0);
}

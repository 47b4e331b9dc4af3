/* agent/serve/load.c */
#include "agent/serve/load.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include <uv.h>

#include "agent/serve/command.h"
#include "agent/serve/job_dir.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "proto/job.pb-c.h"

enum { GRACE_MS = 20000, WHY_BYTES = 160 };

struct process {
    struct sl_load *load;
    uv_process_t process;
    uv_pipe_t in, out; /* its standard input ends: it is to end; a byte comes out: it executes */
    char byte[8];
    bool tried, spawned, exited, ready; /* `tried`: the process handle is one */
};

struct sl_load {
    uv_loop_t *loop;
    struct sl_load_events events;
    void *user;
    uv_timer_t grace;
    size_t count, running, open_handles;
    bool stopping, told_ready, told_failed;
    struct process processes[SL_LOAD_MAX_PROCESSES];
};

static void on_handle_closed(uv_handle_t *handle)
{
    struct sl_load *load = handle->data;
    if (--load->open_handles > 0)
        return;
    struct sl_load_events events = load->events;
    void *user = load->user;
    sl_free(load);
    events.closed(user);
}

static void close_handle(struct sl_load *load, uv_handle_t *handle)
{
    handle->data = load;
    if (!uv_is_closing(handle))
        uv_close(handle, on_handle_closed);
}

static void close_if_over(struct sl_load *load)
{
    if (!load->stopping || load->running > 0)
        return;
    for (size_t i = 0; i < load->count; i++) {
        struct process *one = &load->processes[i];
        if (one->tried)
            close_handle(load, (uv_handle_t *)&one->process);
        close_handle(load, (uv_handle_t *)&one->in);
        close_handle(load, (uv_handle_t *)&one->out);
    }
    close_handle(load, (uv_handle_t *)&load->grace);
}

static void fail(struct sl_load *load, const char *why)
{
    if (load->stopping || load->told_failed)
        return;
    load->told_failed = true;
    load->events.failed(load->user, why);
}

static void on_exit(uv_process_t *handle, int64_t status, int signal)
{
    struct process *one = handle->data;
    struct sl_load *load = one->load;
    char why[WHY_BYTES];
    one->exited = true;
    load->running--;
    snprintf(why, sizeof(why), "process %d of the load ended by itself, with %s %d",
             (int)(one - load->processes) + 1, signal != 0 ? "signal" : "exit code",
             signal != 0 ? signal : (int)status);
    fail(load, why);
    close_if_over(load);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    struct process *one = handle->data;
    (void)suggested;
    *buf = uv_buf_init(one->byte, sizeof(one->byte));
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct process *one = stream->data;
    struct sl_load *load = one->load;
    bool all = true;
    (void)buf;
    if (n < 0)
        uv_read_stop(stream);
    if (n <= 0)
        return;
    one->ready = true;
    for (size_t i = 0; i < load->count; i++)
        all = all && load->processes[i].ready;
    if (!all || load->told_ready || load->stopping)
        return;
    load->told_ready = true;
    load->events.ready(load->user);
}

static void on_grace_over(uv_timer_t *timer)
{
    struct sl_load *load = timer->data;
    for (size_t i = 0; i < load->count; i++) {
        if (load->processes[i].spawned && !load->processes[i].exited)
            kill(-load->processes[i].process.pid, SIGKILL);
    }
}

/* Its log lies among the job's files. */
static int open_log(const struct sl_job_dir *dir, size_t place)
{
    char path[600];
    sl_path_join(path, sizeof(path), dir->path, "out/load-%zu.log", place);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return fd < 0 ? -errno : fd;
}

static int spawn(struct process *one, struct sl_command *command, int log)
{
    uv_stdio_container_t stdio[3] = {
        {.flags = UV_CREATE_PIPE | UV_READABLE_PIPE, .data.stream = (uv_stream_t *)&one->in},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&one->out},
        {.flags = UV_INHERIT_FD, .data.fd = log},
    };
    const uv_process_options_t options = {
        .exit_cb = on_exit,
        .file = command->argv[0],
        .args = command->argv,
        .cwd = command->cwd,
        .flags = UV_PROCESS_DETACHED, /* a group of its own, to be killed whole */
        .stdio_count = 3,
        .stdio = stdio,
    };
    one->tried = true;
    one->load->open_handles++;
    int rc = uv_spawn(one->load->loop, &one->process, &options);
    if (rc < 0)
        return rc;
    one->spawned = true;
    one->load->running++;
    return uv_read_start((uv_stream_t *)&one->out, on_alloc, on_read);
}

static int start_one(struct sl_load *load, size_t index, const char *self, const char *workdir,
                     const Sme2lab__Proto__Job *job, const struct sl_job_dir *dir)
{
    struct process *one = &load->processes[index];
    struct sl_command command;
    one->load = load;
    uv_pipe_init(load->loop, &one->in, 0); /* cannot fail */
    uv_pipe_init(load->loop, &one->out, 0);
    one->process.data = one->in.data = one->out.data = one;
    load->count++;
    load->open_handles += 2;
    int rc = sl_command_init_load(&command, self, workdir, job, dir, (uint32_t)index + 1);
    int log = rc < 0 ? rc : open_log(dir, index + 1);
    if (log >= 0) {
        rc = spawn(one, &command, log);
        close(log);
    }
    if (rc >= 0)
        sl_command_fini(&command);
    return log < 0 ? log : rc;
}

int sl_load_start(uv_loop_t *loop, const char *self, const char *workdir,
                  const Sme2lab__Proto__Job *job, const struct sl_job_dir *dir,
                  const struct sl_load_events *events, void *user, struct sl_load **out)
{
    if (job->concurrency < 2 || job->concurrency - 1 > SL_LOAD_MAX_PROCESSES)
        return SL_E_LIMIT;
    struct sl_load *load = sl_calloc(1, sizeof(*load));
    if (!load)
        return -ENOMEM;
    *load = (struct sl_load){.loop = loop, .events = *events, .user = user, .open_handles = 1};
    uv_timer_init(loop, &load->grace); /* cannot fail */
    load->grace.data = load;
    int rc = 0;
    for (size_t i = 0; i + 1 < job->concurrency && rc == 0; i++)
        rc = start_one(load, i, self, workdir, job, dir);
    *out = load;
    return rc;
}

void sl_load_stop(struct sl_load *load)
{
    if (load->stopping)
        return;
    load->stopping = true;
    uv_timer_start(&load->grace, on_grace_over, GRACE_MS, 0);
    for (size_t i = 0; i < load->count; i++)
        close_handle(load, (uv_handle_t *)&load->processes[i].in);
    close_if_over(load);
}

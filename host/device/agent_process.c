/* host/device/agent_process.c */
#include "host/device/agent_process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/mem.h"
#include "common/base/path.h"
#include "common/net/handshake.h"

enum { LINE_BYTES = 512, PATH_BYTES = 1024 };
/* So long it waits for a daemon to come in place of one that was killed. */
#define AGENT_IDLE_S "120"

struct sl_agent_process {
    struct sl_agent_process_events events;
    void *user;
    uv_process_t process;
    uv_pipe_t in, out;
    uv_write_t write;
    char secret_line[2 * SL_SECRET_BYTES + 1]; /* hexadecimal and a newline */
    char line[LINE_BYTES];                     /* its first one */
    size_t line_len;
    int open_handles;
    bool closing, listening;
    int64_t exit_code;
    int signal;
};

static void on_handle_closed(uv_handle_t *handle)
{
    struct sl_agent_process *p = handle->data;
    if (--p->open_handles > 0)
        return;
    struct sl_agent_process_events events = p->events;
    void *user = p->user;
    int64_t code = p->exit_code;
    int number = p->signal;
    sl_free(p);
    events.ended(user, code, number);
}

static void close_all(struct sl_agent_process *p)
{
    if (p->closing)
        return;
    p->closing = true;
    uv_close((uv_handle_t *)&p->process, on_handle_closed);
    uv_close((uv_handle_t *)&p->in, on_handle_closed);
    uv_close((uv_handle_t *)&p->out, on_handle_closed);
}

static void on_exit(uv_process_t *process, int64_t status, int number)
{
    struct sl_agent_process *p = process->data;
    p->exit_code = status;
    p->signal = number;
    close_all(p);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    struct sl_agent_process *p = handle->data;
    (void)suggested;
    *buf = uv_buf_init(p->line + p->line_len, (unsigned)(LINE_BYTES - 1 - p->line_len));
}

/* The first line says where it listens; nothing else is of use. */
static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    static const char word[] = "listening ";
    struct sl_agent_process *p = stream->data;
    (void)buf;
    if (n < 0) {
        uv_read_stop(stream);
        return;
    }
    p->line_len += (size_t)n;
    p->line[p->line_len] = '\0';
    char *newline = strchr(p->line, '\n');
    if (newline && !p->listening && strncmp(p->line, word, sizeof(word) - 1) == 0) {
        *newline = '\0';
        p->listening = true;
        p->events.listening(p->user, p->line + sizeof(word) - 1);
    }
    if (newline || p->line_len == LINE_BYTES - 1)
        p->line_len = 0;
}

static void on_written(uv_write_t *request, int status)
{
    struct sl_agent_process *p = request->handle->data;
    (void)status; /* an agent that does not take it ends by itself */
    memset(p->secret_line, 0, sizeof(p->secret_line));
}

static void write_secret(struct sl_agent_process *p, const uint8_t *secret)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < SL_SECRET_BYTES; i++) {
        p->secret_line[2 * i] = digits[secret[i] >> 4];
        p->secret_line[2 * i + 1] = digits[secret[i] & 15];
    }
    p->secret_line[2 * SL_SECRET_BYTES] = '\n';
    uv_buf_t buf = uv_buf_init(p->secret_line, sizeof(p->secret_line));
    uv_write(&p->write, (uv_stream_t *)&p->in, &buf, 1, on_written);
}

static int spawn(struct sl_agent_process *p, uv_loop_t *loop,
                 const struct sl_agent_process_spec *spec, int log_fd)
{
    char *argv[] = {(char *)(uintptr_t)spec->program,
                    (char *)(uintptr_t)"serve",
                    (char *)(uintptr_t)"--listen",
                    (char *)(uintptr_t)spec->address,
                    (char *)(uintptr_t)"--workdir",
                    (char *)(uintptr_t)spec->workdir,
                    (char *)(uintptr_t)"--idle-exit",
                    (char *)(uintptr_t)AGENT_IDLE_S,
                    NULL};
    uv_stdio_container_t stdio[3] = {
        {.flags = UV_CREATE_PIPE | UV_READABLE_PIPE, .data.stream = (uv_stream_t *)&p->in},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&p->out},
        {.flags = UV_INHERIT_FD, .data.fd = log_fd},
    };
    uv_process_options_t options = {.exit_cb = on_exit,
                                    .file = spec->program,
                                    .args = argv,
                                    .flags = UV_PROCESS_DETACHED,
                                    .stdio_count = 3,
                                    .stdio = stdio};
    return uv_spawn(loop, &p->process, &options);
}

static int open_log(const struct sl_agent_process_spec *spec)
{
    char path[PATH_BYTES];
    int rc = sl_path_join(path, sizeof(path), spec->workdir, "agent.log");
    if (rc < 0)
        return rc;
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    return fd < 0 ? -errno : fd;
}

int sl_agent_process_start(uv_loop_t *loop, const struct sl_agent_process_spec *spec,
                           const struct sl_agent_process_events *events, void *user,
                           struct sl_agent_process **out)
{
    int fd = open_log(spec);
    struct sl_agent_process *p = fd < 0 ? NULL : sl_calloc(1, sizeof(*p));
    if (!p) {
        if (fd >= 0)
            close(fd);
        return fd < 0 ? fd : -ENOMEM;
    }
    p->events = *events;
    p->user = user;
    uv_pipe_init(loop, &p->in, 0); /* cannot fail */
    uv_pipe_init(loop, &p->out, 0);
    p->in.data = p->out.data = p->process.data = p;
    p->open_handles = 3; /* with the process, which uv_spawn() initialises even when it fails */
    int rc = spawn(p, loop, spec, fd);
    close(fd);
    if (rc < 0) {
        p->exit_code = rc;
        close_all(p);
    } else {
        uv_read_start((uv_stream_t *)&p->out, on_alloc, on_read);
        write_secret(p, spec->secret);
    }
    *out = p;
    return 0;
}

int sl_agent_process_pid(const struct sl_agent_process *p)
{
    return p->process.pid;
}

void sl_agent_process_signal(struct sl_agent_process *p, int number)
{
    if (!p->closing)
        uv_process_kill(&p->process, number);
}

void sl_agent_process_abandon(struct sl_agent_process *p)
{
    close_all(p);
}

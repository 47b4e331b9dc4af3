/* common/base/child.c */
#define _GNU_SOURCE /* F_SETPIPE_SZ */
#include "common/base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/process.h"

enum { OUT, ERR, LOG, STREAMS };
enum {
    TICK_MS = 100,
    CHUNK_BYTES = 1 << 16,
    PIPE_BYTES = 1 << 20,
    CHUNKS = PIPE_BYTES / CHUNK_BYTES, /* read at once from one stream */
    GATHER_NS = 1000000, /* the emulator writes line by line: woken by each, both would crawl */
};

extern char **environ;

struct child {
    const struct sl_child_spec *spec;
    struct sl_child_result result;
    pid_t pid;        /* 0 until started and after it was waited for */
    int fds[STREAMS]; /* read ends; -1 once at their end */
    int writers[2];   /* write ends of OUT and ERR until the child has them */
    uint64_t start_ns, next_tick_ns;
    int failure; /* why it was ended, or 0 */
};

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static int open_streams(struct child *child)
{
    for (int i = 0; i < 2; i++) {
        int ends[2];
        int rc = sl_process_pipe(ends);
        if (rc < 0)
            return rc;
        child->fds[i] = ends[0];
        child->writers[i] = ends[1];
        fcntl(child->fds[i], F_SETFL, O_NONBLOCK);
    }
    if (!child->spec->fifo)
        return 0;
    /* Opened before the child does, and without waiting for it: it may never come so far. */
    child->fds[LOG] = open(child->spec->fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (child->fds[LOG] < 0)
        return -errno;
#ifdef F_SETPIPE_SZ
    fcntl(child->fds[LOG], F_SETPIPE_SZ, PIPE_BYTES); /* only faster */
#endif
    return 0;
}

/* In the child: other threads may hold locks, so it makes plain system calls only. `report` takes
 * the reason why the program cannot be. */
static void become(const struct child *child, pid_t parent, int report)
{
    const struct sl_child_spec *spec = child->spec;
    const char *const *environment = spec->environment;
    sigset_t none;
    int rc = 0, nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    sigemptyset(&none);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
        dup2(child->writers[OUT], STDOUT_FILENO) < 0 ||
        dup2(child->writers[ERR], STDERR_FILENO) < 0 || setpgid(0, 0) < 0)
        rc = errno;
    if (sl_process_end_with(parent, SIGKILL) < 0) /* nobody reads it any more */
        _exit(1);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (rc == 0) {
        execve(spec->argv[0], (char *const *)(uintptr_t)spec->argv,
               environment ? (char *const *)(uintptr_t)environment : environ);
        rc = errno;
    }
    _exit(write(report, &rc, sizeof(rc)) < 0); /* the parent sees by the bytes that it failed */
}

/* Forked, as posix_spawn() cannot tie the child to its parent. */
static int start(struct child *child)
{
    int report[2], rc = sl_process_pipe(report);
    pid_t parent = getpid();
    if (rc < 0)
        return rc;
    child->result.pid = child->pid = fork();
    if (child->pid == 0)
        become(child, parent, report[1]);
    if (child->pid < 0)
        rc = errno;
    close_fd(&report[1]);
    close_fd(&child->writers[OUT]);
    close_fd(&child->writers[ERR]);
    ssize_t got;
    while (rc == 0 && (got = read(report[0], &rc, sizeof(rc))) < 0 && errno == EINTR)
        ;
    close_fd(&report[0]);
    if (rc != 0 && child->pid > 0)
        waitpid(child->pid, NULL, 0);
    if (rc != 0)
        child->pid = 0;
    return -rc;
}

/* Keeps the first SL_CHILD_MAX_OUTPUT bytes. */
static void keep(struct sl_buf *buf, const void *bytes, size_t len)
{
    size_t room = buf->limit - buf->size;
    (void)sl_buf_append(buf, bytes, len < room ? len : room);
}

static void deliver(struct child *child, int stream, const char *bytes, size_t len)
{
    const struct sl_child_spec *spec = child->spec;
    if (stream == LOG) {
        int rc = child->failure ? 0 : spec->on_log(spec->user, bytes, len);
        child->failure = rc < 0 ? rc : child->failure;
        return;
    }
    keep(stream == OUT ? &child->result.out : &child->result.err, bytes, len);
    if (stream == ERR && spec->on_stderr)
        spec->on_stderr(spec->user, bytes, len);
}

/* Reads one chunk. False: nothing there now, or never again. */
static bool read_stream(struct child *child, int stream)
{
    char bytes[CHUNK_BYTES];
    if (child->fds[stream] < 0)
        return false;
    ssize_t got = read(child->fds[stream], bytes, sizeof(bytes));
    if (got > 0) {
        deliver(child, stream, bytes, (size_t)got);
        return true;
    }
    /* The FIFO reads as ended before its writer has come. */
    if (stream != LOG && (got == 0 || (errno != EAGAIN && errno != EINTR)))
        close_fd(&child->fds[stream]);
    return false;
}

static void watch(struct child *child)
{
    const struct sl_child_spec *spec = child->spec;
    uint64_t now = sl_clock_ns();
    if (spec->interrupted && *spec->interrupted && child->failure == 0)
        child->failure = -EINTR;
    if (spec->timeout_ms > 0 && (now - child->start_ns) / 1000000u >= spec->timeout_ms)
        child->result.timed_out = true;
    if (child->failure != 0 || child->result.timed_out)
        kill(-child->pid, SIGKILL);
    if (spec->on_tick && now >= child->next_tick_ns) {
        child->next_tick_ns = now + TICK_MS * 1000000u;
        spec->on_tick(spec->user);
    }
}

/* True once the child has ended; its status is then in the result. What it started ends with it: it
 * would hold the streams open, and might fill them for ever. */
static bool has_ended(struct child *child)
{
    siginfo_t info = {.si_signo = 0};
    int status = 0, rc;
    do /* left a zombie: until it is waited for, nobody else's group can have its number */
        rc = waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT);
    while (rc < 0 && errno == EINTR);
    if (rc == 0 && info.si_pid == 0)
        return false;
    if (rc == 0)
        kill(-child->pid, SIGKILL);
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        ;
    child->result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    child->result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    child->pid = 0;
    return true;
}

/* A log is read once a millisecond and never polled: after the first poll of a pipe, Linux looks
 * for sleepers at each write into it. */
static void serve(struct child *child)
{
    while (!has_ended(child)) {
        bool gathers = child->fds[LOG] >= 0;
        struct pollfd polled[STREAMS];
        nfds_t count = 0;
        for (int i = 0; i < STREAMS; i++) {
            if (child->fds[i] >= 0 && i != LOG)
                polled[count++] = (struct pollfd){.fd = child->fds[i], .events = POLLIN};
        }
        bool busy = poll(polled, count, gathers ? 0 : TICK_MS) > 0;
        bool read_any = false;
        for (int i = 0; i < STREAMS; i++) {
            for (int n = 0; n < CHUNKS && read_stream(child, i); n++)
                read_any = true;
        }
        watch(child);
        if ((busy && !read_any) || gathers) /* only hang-ups, or the log gathers */
            nanosleep(&(struct timespec){.tv_nsec = GATHER_NS}, NULL);
    }
    for (int i = 0; i < STREAMS; i++) { /* no more than a full pipe: a writer may have got away */
        for (int n = 0; n < CHUNKS && read_stream(child, i); n++)
            ;
    }
}

static void release(struct child *child)
{
    for (int i = 0; i < STREAMS; i++)
        close_fd(&child->fds[i]);
    close_fd(&child->writers[OUT]);
    close_fd(&child->writers[ERR]);
}

int sl_child_run(const struct sl_child_spec *spec, struct sl_child_result *out,
                 struct sl_diag *diag)
{
    struct child child = {.spec = spec, .fds = {-1, -1, -1}, .writers = {-1, -1}};
    sl_buf_init(&child.result.out, SL_CHILD_MAX_OUTPUT);
    sl_buf_init(&child.result.err, SL_CHILD_MAX_OUTPUT);
    int rc = open_streams(&child);
    if (rc == 0)
        rc = start(&child);
    if (rc < 0) {
        sl_diag_set(diag, rc, spec->argv[0], "The program could not be started (%s)",
                    sl_strerror(rc));
        goto fail;
    }
    child.start_ns = child.next_tick_ns = sl_clock_ns();
    if (spec->on_started)
        spec->on_started(spec->user);
    serve(&child);
    child.result.wall_ns = sl_clock_ns() - child.start_ns;
    rc = child.failure;
    if (rc == -EINTR)
        sl_diag_set(diag, rc, spec->argv[0], "Interrupted");
    if (rc < 0)
        goto fail;
    release(&child);
    *out = child.result;
    return 0;
fail:
    release(&child);
    sl_child_fini(&child.result);
    return rc;
}

void sl_child_fini(struct sl_child_result *result)
{
    sl_buf_fini(&result->out);
    sl_buf_fini(&result->err);
}

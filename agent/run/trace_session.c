/* agent/run/trace_session.c */
#include "agent/run/trace_session.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "agent/trace/drain.h"
#include "agent/trace/marks.h"
#include "agent/trace/memory_file.h"
#include "agent/trace/recorder.h"
#include "agent/trace/ring.h"
#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/format/sltrace.h"

enum { RING_RECORDS = 8192, MAX_STREAM_BYTES = 1 << 30, WAKE_NS = 5000000 };

static pid_t parent; /* whoever drains the ring that --ring names */

/* Called by the recorder, paused, when the parent has not drained yet. */
static void wait_for_parent(void *user)
{
    const struct timespec pause = {.tv_nsec = 50000};
    (void)user;
    if (getppid() != parent) {
        static const char words[] = "sme2lab-agent: the process that drains --ring has ended\n";
        ssize_t put = write(STDERR_FILENO, words, sizeof(words) - 1);
        (void)put;
        _exit(1);
    }
    sched_yield();
    nanosleep(&pause, NULL);
}

static void drain_here(void *user)
{
    sl_drain_now(user);
}

static int open_stream(const char *path)
{
    if (!path[0])
        return sl_memory_file_open("sme2lab-trace");
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    return fd < 0 ? -errno : fd;
}

static int open_own(struct sl_trace_session *session, const char *path)
{
    int rc = session->fd = open_stream(path);
    if (rc < 0)
        return rc;
    rc = sl_ring_new(RING_RECORDS, &session->ring);
    return rc < 0 ? rc : sl_drain_new(session->ring, session->fd, &session->drain);
}

/* Decides who makes room when the ring is full. */
static int connect_drainer(struct sl_trace_session *session)
{
    if (!session->drain)
        sl_recorder_on_full(session->recorder, wait_for_parent, NULL);
    else if (session->counted)
        sl_recorder_on_full(session->recorder, drain_here, session->drain);
    else
        return sl_drain_start(session->drain);
    return 0;
}

int sl_trace_session_init(struct sl_trace_session *session, const struct sl_trace_target *target)
{
    *session = (struct sl_trace_session){.fd = -1, .counted = target->unit == SL_TRACE_MARKS};
    parent = getppid();
    int rc = target->ring_fd >= 0 ? sl_ring_open(target->ring_fd, &session->ring)
                                  : open_own(session, target->path);
    if (rc == 0)
        rc = sl_recorder_new(session->ring, target->unit, target->stream, &session->recorder);
    if (rc == 0)
        rc = connect_drainer(session);
    if (rc < 0)
        sl_trace_session_fini(session);
    return rc;
}

void sl_trace_session_fini(struct sl_trace_session *session)
{
    if (session->drain)
        sl_drain_stop(session->drain);
    sl_drain_free(session->drain);
    sl_recorder_free(session->recorder);
    sl_ring_free(session->ring);
    if (session->fd >= 0)
        close(session->fd);
    *session = (struct sl_trace_session){.fd = -1};
}

/* True once the drainer is so far behind, in time or in room, that it is to be called. */
static bool is_due(struct sl_trace_session *session)
{
    uint64_t now = sl_clock_ns();
    size_t capacity = sl_ring_capacity(session->ring);
    if (now - session->woken_ns < WAKE_NS && sl_ring_room(session->ring) > capacity / 4 * 3)
        return false;
    session->woken_ns = now;
    return true;
}

void sl_trace_session_wake(struct sl_trace_session *session)
{
    if (!session->counted)
        sl_ring_wake(session->ring);
}

void sl_trace_session_between(struct sl_trace_session *session)
{
    if (!session->counted && is_due(session))
        sl_ring_wake(session->ring);
    if (!session->counted || !session->drain)
        return;
    sl_mark_pause();
    sl_drain_now(session->drain);
    sl_mark_resume();
}

int sl_trace_session_finish(struct sl_trace_session *session)
{
    if (!session->finished)
        sl_recorder_finish(session->recorder);
    session->finished = true;
    int drained = session->drain ? sl_drain_stop(session->drain) : 0;
    int recorded = sl_recorder_error(session->recorder);
    return recorded < 0 ? recorded : drained;
}

int sl_trace_session_read(const struct sl_trace_session *session, struct sl_buf *out)
{
    if (session->fd < 0)
        return SL_E_STATE;
    off_t size = lseek(session->fd, 0, SEEK_END);
    if (size < 0 || lseek(session->fd, 0, SEEK_SET) < 0)
        return -errno;
    uint8_t *at;
    sl_buf_init(out, MAX_STREAM_BYTES);
    int rc = sl_buf_extend(out, (size_t)size, &at);
    for (size_t done = 0; rc == 0 && done < (size_t)size;) {
        ssize_t got = read(session->fd, at + done, (size_t)size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            rc = got < 0 ? -errno : SL_E_TRUNCATED;
        else
            done += (size_t)got;
    }
    if (rc < 0)
        sl_buf_fini(out);
    return rc;
}

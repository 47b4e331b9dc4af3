/* agent/run/trace_session.h: a run's recorder with all that is behind it: the ring, who drains it,
 * and the file that the stream goes to. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sl_buf;
struct sl_recorder;

struct sl_trace_target {
    int unit;         /* SL_TRACE_NS or SL_TRACE_MARKS */
    int ring_fd;      /* the parent's ring, which the parent drains; -1: one of our own */
    const char *path; /* of the stream; "": in memory only. Not with ring_fd */
    uint64_t stream;
};

struct sl_trace_session {
    struct sl_recorder *recorder; /* NULL until open */
    struct sl_ring *ring;
    struct sl_drain *drain; /* NULL when the parent drains */
    int fd;                 /* of the stream; -1: none */
    uint64_t woken_ns;      /* when the drain was called last */
    bool counted, finished;
};

/* 0, -errno or SL_E_*. On failure `session` needs no end. In nanoseconds a thread drains; on marks
 * the run does, by sl_trace_session_between(). */
int sl_trace_session_init(struct sl_trace_session *session, const struct sl_trace_target *target);
void sl_trace_session_fini(struct sl_trace_session *session);

/* Between executions: drains where there is no thread that does, and calls a thread or a parent
 * that is behind. */
void sl_trace_session_between(struct sl_trace_session *session);
/* Calls thread or parent at once: it is to look at what was recorded. */
void sl_trace_session_wake(struct sl_trace_session *session);

/* Writes END and drains the rest; 0 or the first failure of recorder or drainer. Idempotent. */
int sl_trace_session_finish(struct sl_trace_session *session);

/* The whole stream so far, after finish; SL_E_STATE when it went to the parent. */
int sl_trace_session_read(const struct sl_trace_session *session, struct sl_buf *out);

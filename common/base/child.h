/* common/base/child.h: runs a program to its end, collects what it prints, and watches the clock.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/buf.h"

struct sl_diag;

enum { SL_CHILD_MAX_OUTPUT = 8 << 20 }; /* bytes kept of stdout and of stderr, each */

struct sl_child_spec {
    const char *const *argv;        /* argv[0] is the path of the program; ends with NULL */
    const char *const *environment; /* ends with NULL; NULL: this process's own */
    uint64_t timeout_ms;            /* 0: none */
    const volatile sig_atomic_t *interrupted; /* not 0: end the child; may be NULL */
    /* A FIFO that the child writes to and this function reads, or NULL. on_log returns a negative
     * code to end the child. */
    const char *fifo;
    int (*on_log)(void *user, const void *bytes, size_t len);
    /* Bytes of stderr as they come; may be NULL. */
    void (*on_stderr)(void *user, const char *bytes, size_t len);
    void (*on_started)(void *user); /* may be NULL */
    void (*on_tick)(void *user);    /* about ten times a second; may be NULL */
    void *user;
};

struct sl_child_result {
    int exit_code; /* -1 when a signal ended it */
    int signal;    /* 0 when it exited */
    pid_t pid;     /* that it had */
    bool timed_out;
    uint64_t wall_ns;
    struct sl_buf out, err; /* owned: end with sl_child_fini() */
};

/* Starts the program in a process group of its own and returns when it has ended and all it printed
 * was read. The rest of its group is killed then, and it itself where this thread ends before it
 * (on Linux). 0 however it ended: see `out`. Negative, with `diag` set and nothing to end: it could
 * not be started (-errno), on_log's code, or -EINTR after an interrupt. */
int sl_child_run(const struct sl_child_spec *spec, struct sl_child_result *out,
                 struct sl_diag *diag);
void sl_child_fini(struct sl_child_result *result);

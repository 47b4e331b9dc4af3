/* agent/serve/detach.h: the serving agent on its own: in a session of its own, deaf to SIGHUP, with
 * a log file, so that the end of the shell that started it does not end it. */
#pragma once

#include <signal.h>

struct sl_diag;

enum { SL_DETACH_LOG_BYTES = 256 << 10 }; /* a longer log is put aside when an agent starts */

/* This signal asks an agent for its directory: the agent ends if it is idle. */
#define SL_SERVE_YIELD SIGUSR1

/* Takes <workdir>/lock (both made if absent) for the life of this process: one agent serves in a
 * directory. Another is asked to yield. 0; -EBUSY with its process in `diag`; -errno. */
int sl_serve_lock(const char *workdir, struct sl_diag *diag);

/* Goes on in a child. Returns the child's end of a pipe; the parent never returns from here: it
 * ends with 0 once the child is ready, or with the exit code of a child that ended before. Negative
 * -errno: there is no child. Before any thread or loop. */
int sl_detach(void);

/* The child is ready: standard output and error go to <workdir>/agent.log from now on, and the
 * parent ends. Closes `pipe`. */
void sl_detach_ready(int pipe, const char *workdir);

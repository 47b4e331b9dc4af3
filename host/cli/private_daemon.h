/* host/cli/private_daemon.h: the daemon that `sme2lab run` starts for itself where there is none.
 *
 * It lives below the state directory, one for each set of tools (daemon, agents, emulator, as they
 * are now), listens on a Unix socket only, starts a device's agent when it has a job for it, and
 * ends when it has been idle for a while; its store stays, and it can be started again. The first
 * start for a new set of tools takes over what the last set stored. */
#pragma once

#include <stdbool.h>

#include "host/spec/paths.h"

struct sl_diag;

enum { SL_PRIVATE_IDLE_SECONDS = 15 };

struct sl_private_daemon {
    char program[SL_PATH_BYTES * 2];
    char state[SL_PATH_BYTES], socket[SL_PATH_BYTES], config[SL_PATH_BYTES];
    char cpu[64]; /* of its devices; "": the emulator's with each vector length */
};

/* Finds the place of the daemon for these tools, running or not; `cpu` NULL: of no special CPU. 0,
 * SL_E_NOT_FOUND (no sme2labd) or SL_E_LIMIT with `diag` set. */
int sl_private_daemon_find(const char *cpu, struct sl_private_daemon *out, struct sl_diag *diag);

/* The one whose socket this is; false: it is none's. */
bool sl_private_daemon_of(const char *socket, struct sl_private_daemon *out);

/* Was it ever started, or one for other tools whose store it takes over, so that it may have jobs
 * and runs? */
bool sl_private_daemon_known(const struct sl_private_daemon *daemon);

/* Other tools' daemon whose store this one would take over, were it not in use now: who only asks,
 * asks that one. False: there is none, or this one has a store. */
bool sl_private_daemon_in_use(const struct sl_private_daemon *daemon,
                              struct sl_private_daemon *out);

/* Does anybody listen on the socket? */
bool sl_private_daemon_listens(const char *socket);

/* Starts it unless it runs; of several that try at once one does. 0 when it listens; else a code
 * with its last words in `diag`. */
int sl_private_daemon_start(const struct sl_private_daemon *daemon, struct sl_diag *diag);

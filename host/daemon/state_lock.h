/* host/daemon/state_lock.h: the state directory, and one daemon to it. */
#pragma once

struct sl_diag;

/* Makes the state directory where it is not there. 0 or a negative code with words. */
int sl_state_make(const char *path, struct sl_diag *diag);

/* Takes `state`/lock, waiting up to `wait_ms` for a daemon that is about to end; that of a dead one
 * is free. *out is closed by the caller, last. 0, -EBUSY with the owner in `diag`, or the file's
 * -errno. */
int sl_state_lock(const char *state, unsigned wait_ms, int *out, struct sl_diag *diag);

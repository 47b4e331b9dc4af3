/* host/daemon/identity.h: the name by which other daemons know this one, for as long as its state
 * directory is there. */
#pragma once

#include "host/http/auth.h"
#include "host/records.h"

struct sl_diag;

/* Reads STATE/host; made at the first time, of the machine's name and a random number. A copy of a
 * state directory has the name of its original: remove the file there. 0 or a negative code with
 * words. */
int sl_identity_read(const char *state, char out_name[SL_NAME_BYTES], struct sl_diag *diag);

/* Reads STATE/host.token (mode 0600), made at the first time: what this host shows the others, and
 * what they know it by. The same after a restart, of which they hear only at their next beat. 0 or
 * a negative code with words. */
int sl_identity_token(const char *state, char out_token[SL_AUTH_TOKEN_BYTES],
                      char out_sha256[SL_DIGEST_BYTES], struct sl_diag *diag);

/* Says in `diag` why the store does not take this host, and what to do: -EADDRINUSE another has its
 * name, SL_E_MISMATCH its directory of runs is not the one that it had, or the store's code. */
void sl_identity_refused(const char *state, const char *name, int rc, struct sl_diag *diag);

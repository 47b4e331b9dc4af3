/* host/cli/fetch.h: a run's artifacts out of the daemon into a directory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sl_client;
struct sl_diag;

/* All files of a finished run; but the daemon's own only with `whole`. Each appears under its name
 * whole or not at all, over what stood there. 0 or a code with `diag` set: what was fetched stays.
 */
int sl_fetch_run(struct sl_client *client, uint64_t run, bool whole, const char *directory,
                 struct sl_diag *diag);

/* Writes the agent's log of a run that failed to `path`. SL_E_NOT_FOUND if there is none. */
int sl_fetch_log(struct sl_client *client, uint64_t run, const char *path, struct sl_diag *diag);

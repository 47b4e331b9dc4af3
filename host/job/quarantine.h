/* host/job/quarantine.h: which devices are out, kept from daemon to daemon: a file for each,
 * `quarantine/out-NAME` below the state directory. */
#pragma once

#include <stdbool.h>

/* Takes it out or brings it back; durable when it returns. 0 or a negative code. */
int sl_quarantine_keep(const char *state_dir, const char *device, bool out);
bool sl_quarantine_kept(const char *state_dir, const char *device);

/* host/cli/private_sweep.h: private daemons of tools that are gone: their states, after a while. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SL_PRIVATE_KEEP_S = 7 * 86400 };

/* Removes the states in `root` whose daemon was last started longer ago than that and does not run;
 * the one at `keep` stays. Returns how many. Blocks. */
size_t sl_private_sweep(const char *root, const char *keep, uint64_t older_than_s);

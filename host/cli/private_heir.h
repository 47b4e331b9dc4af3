/* host/cli/private_heir.h: private daemons of other tools, whose store the next one takes over. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The state below `root` that was started last and is used by no daemon; one with a CPU of its own
 * is left to that. False: there is none. */
bool sl_private_last(const char *root, char *out, size_t size);

/* The one that was started last of those that a daemon uses now. False: there is none. */
bool sl_private_used(const char *root, char *out, size_t size);

/* Makes it `state`, which is not there yet: store, runs and blobs, but not the configuration and
 * what the other tools' agents left. False: there is none, or it cannot be had. */
bool sl_private_take_over(const char *root, const char *state);

/* host/cli/etdump_paths.h: the ETDump files that a command line's words mean. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sl_diag;

enum { SL_ETDUMP_PATHS_MAX = 256 };

struct sl_etdump_paths {
    char *paths[SL_ETDUMP_PATHS_MAX]; /* owned */
    size_t count;
    bool logs; /* of directories also XNNPACK's logs that have no ETDump beside them */
};

/* Adds a file, whatever its name; or of a directory (a run's, ours or another tool's) every file
 * *.etdump in it and in the directories directly below, by name. Returns 0 or a negative code with
 * `diag` set: a directory without any, more than SL_ETDUMP_PATHS_MAX. */
int sl_etdump_paths_add(struct sl_etdump_paths *paths, const char *path, struct sl_diag *diag);

void sl_etdump_paths_fini(struct sl_etdump_paths *paths);

/* host/cli/import_archive.h: `sme2lab import` of an archive that `sme2lab export` made. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sl_archive;
struct sl_cli;
struct sl_diag;

/* By its name: does it end in .tar.zst? */
bool sl_import_archive_named(const char *path);

/* Unpacks it into the new directory `folder`, a directory a run; or, where that is NULL, makes its
 * runs runs of the daemon, and prints their numbers there. 0 or a code with `diag` set. */
int sl_import_archive(const struct sl_cli *cli, const char *path, const char *folder,
                      struct sl_diag *diag);

/* Makes `count` runs of the daemon, and prints their numbers there. `make` puts the run `index`
 * into a new directory below `folder` and adds it to `out`, which is empty. 0 or a code with `diag`
 * set; the runs before stay. */
typedef int (*sl_import_make_fn)(void *user, size_t index, const char *folder,
                                 struct sl_archive *out, struct sl_diag *diag);
int sl_import_runs(const struct sl_cli *cli, size_t count, sl_import_make_fn make, void *user,
                   struct sl_diag *diag);

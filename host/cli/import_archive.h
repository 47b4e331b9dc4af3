/* host/cli/import_archive.h: `sme2lab import` of an archive that `sme2lab export` made. */
#pragma once

#include <stdbool.h>

struct sl_cli;
struct sl_diag;

/* By its name: does it end in .tar.zst? */
bool sl_import_archive_named(const char *path);

/* Unpacks it into the new directory `folder`, a directory a run; or, where that is NULL, makes its
 * runs runs of the daemon, and prints their numbers there. 0 or a code with `diag` set. */
int sl_import_archive(const struct sl_cli *cli, const char *path, const char *folder,
                      struct sl_diag *diag);

/* host/cli/import_benchmarks.h: `sme2lab import` of what google/benchmark or Bencher found: each
 * benchmark becomes a run of the daemon, in a series of its own. */
#pragma once

#include <stdbool.h>

struct sl_cli;
struct sl_diag;

/* By its name: does it end in .json? */
bool sl_import_benchmarks_named(const char *path);

/* Sends the benchmarks of the file and prints their numbers. `device`: the machine that they ran on
 * where the file does not tell, or is to say otherwise; may be NULL. 0 or a code with `diag` set.
 */
int sl_import_benchmarks(const struct sl_cli *cli, const char *path, const char *device,
                         struct sl_diag *diag);

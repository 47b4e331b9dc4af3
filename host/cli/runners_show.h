/* host/cli/runners_show.h: what `sme2lab run` prints of external runners whose run is in its
 * directory. */
#pragma once

struct sl_categories;
struct sl_cli;
struct sl_diag;

/* Prints failures to standard error; then import.json with --json, else a line for each pair. 0 or
 * a code with `diag` set. */
int sl_runners_show(const struct sl_cli *cli, const char *directory,
                    const struct sl_categories *categories, struct sl_diag *diag);

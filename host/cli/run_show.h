/* host/cli/run_show.h: what `sme2lab run` prints of a run whose files are in its directory. */
#pragma once

struct sl_buf;
struct sl_categories;
struct sl_cli;
struct sl_diag;

/* The result for people. `experiment`: of several in the directory, NULL: the only one. */
int sl_run_show(const struct sl_cli *cli, const char *directory, const char *experiment,
                const struct sl_categories *categories, struct sl_diag *diag);

/* analysis_summary.json as it is, for --json; *out is appended to. */
int sl_run_show_json(const char *directory, const char *experiment, struct sl_buf *out,
                     struct sl_diag *diag);

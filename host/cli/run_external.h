/* host/cli/run_external.h: `sme2lab run` of experiments with external runners. */
#pragma once

struct sl_cli;
struct sl_plan;
struct sl_run_request;

/* Runs every experiment of the plan in its runner, in their order, and makes a directory as
 * `import` does, with a report of the plan's pairs; with --analysis-only what is there is computed
 * anew. Returns an exit code; what went wrong is printed. */
int sl_run_external(const struct sl_cli *cli, const struct sl_run_request *request,
                    struct sl_plan *plan);

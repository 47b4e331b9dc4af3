/* host/cli/run_baseline.h: an earlier run that what was just measured is held to, as `compare`
 * does: a gate on each arm and on what SME2 gains. */
#pragma once

#include <stdbool.h>

struct sl_cli;
struct sl_diag;
struct sl_plan;

/* Before anything is measured: on what did the run directory, or the run of that number, measure?
 * By enum sl_spec_runtime. 0 or a negative code with `diag` set. */
int sl_cli_run_baseline_runtimes(const struct sl_cli *cli, const char *baseline, bool out_has[2],
                                 struct sl_diag *diag);

/* Is there, of each runtime that the plan wants, something in the baseline? 0, or SL_E_MISMATCH
 * with `diag` set. */
int sl_cli_run_baseline_fits(const bool has[2], const struct sl_plan *plan, struct sl_diag *diag);

/* Prints the comparison; an exit code. `experiment` is NULL where the directories hold one. */
int sl_cli_run_baseline_gate(const struct sl_cli *cli, const char *baseline, const char *directory,
                             const char *experiment, double threshold_percent);

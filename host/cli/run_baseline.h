/* host/cli/run_baseline.h: an earlier run that what was just measured is held to, as `compare`
 * does: a gate on each arm and on what SME2 gains. */
#pragma once

#include <stdbool.h>

struct sl_cli;
struct sl_diag;

/* Before anything is measured: is it a run directory, or the number of a run? 0 or a negative code
 * with `diag` set. */
int sl_run_baseline_check(const char *baseline, struct sl_diag *diag);

/* Is it a run directory with an experiment on ExecuTorch's libraries? */
bool sl_run_baseline_has_executorch(const char *baseline);

/* Prints the comparison; an exit code. `experiment` is NULL where the directories hold one. */
int sl_run_baseline_gate(const struct sl_cli *cli, const char *baseline, const char *directory,
                         const char *experiment, double threshold_percent);

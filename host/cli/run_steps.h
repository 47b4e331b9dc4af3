/* host/cli/run_steps.h: what `sme2lab run` does beside host/experiment: it launches the agent, and
 * prints. */
#pragma once

#include <signal.h>

#include "host/experiment/run.h"

struct sl_cli;

/* For the time of a launch. */
struct sl_run_watch {
    const struct sl_cli *cli;
    const volatile sig_atomic_t *interrupted;
};

/* run_launch.c: both variants interleaved, then the portable kernels once for their outputs. An
 * agent that fails is SL_E_CRASHED or SL_E_TIMEOUT with `diag` saying what it printed. */
int sl_run_measure(struct sl_run *run, const struct sl_run_watch *watch, struct sl_diag *diag);
int sl_run_reference(struct sl_run *run, const struct sl_run_watch *watch, struct sl_diag *diag);
void sl_run_probe(struct sl_run *run, const struct sl_run_watch *watch);

/* run_report.c */
void sl_run_print(const struct sl_cli *cli, const struct sl_run *run);

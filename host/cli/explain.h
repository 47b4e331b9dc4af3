/* host/cli/explain.h: `--explain` of run and submit: what would run, as a configuration. */
#pragma once

struct sl_cli;
struct sl_plan;

/* Prints the plan; returns an exit code. */
int sl_explain_plan(const struct sl_cli *cli, const struct sl_plan *plan);

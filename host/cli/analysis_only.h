/* host/cli/analysis_only.h: `sme2lab run ... --analysis-only`. */
#pragma once

#include <stdbool.h>

struct sl_cli;
struct sl_plan;

/* Computes what the directory of an earlier run holds anew from what was recorded, and prints it as
 * that run did, with `full` all of it. An exit code. */
int sl_analysis_only(const struct sl_cli *cli, const struct sl_plan *plan, bool full);

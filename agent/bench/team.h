/* agent/bench/team.h: the stages of a shape in several threads at once, each with operands of its
 * own, in step: what a kernel keeps of its speed when others want the same units and memory. */
#pragma once

#include <stdint.h>

struct sl_bench_stage_run;
struct sl_bench_team;

/* What every thread does: all stages with `bench`, in the same order. 0 or a negative code. */
typedef int (*sl_bench_team_fn)(void *data, struct sl_bench_stage_run *bench);

/* Runs `work` in `workers` threads (1 to SL_PEAKS_MAX_WORKERS), each with a copy of `bench`; what
 * the first prints goes to bench->out. 0, or the first failure. */
int sl_bench_team_run(unsigned workers, const struct sl_bench_stage_run *bench,
                      sl_bench_team_fn work, void *data);

/* One round of a stage, called by every thread: from the first start to the last end, in ns. */
uint64_t sl_bench_team_round(struct sl_bench_team *team, unsigned worker, void (*run)(void *data),
                             void *data);

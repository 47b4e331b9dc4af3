/* agent/bench/families.h: what benches each family, type by type. */
#pragma once

#include <stdint.h>

struct sl_bench_choice;
struct sl_bench_stage_run;

/* Runs all stages of one kernel on bench->shape. 0, SL_E_NOT_FOUND (no kernel fits),
 * SL_E_UNSUPPORTED (this CPU lacks what the kernel needs) or -ENOMEM. bench->kernel is set. */
int sl_bench_run(const struct sl_bench_choice *choice, uint64_t seed,
                 struct sl_bench_stage_run *bench);

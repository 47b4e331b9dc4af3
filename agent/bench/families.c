/* agent/bench/families.c */
#include "agent/bench/families.h"

#include <stddef.h>

#include "agent/bench/kernels.h"
#include "agent/bench/shape.h"
#include "agent/bench/stage.h"
#include "common/base/error.h"

typedef int (*bench_fn)(const struct sl_bench_choice *choice, uint64_t seed,
                        struct sl_bench_stage_run *bench);

/* NULL: no such kernels of the type. */
static const bench_fn benches[SL_BENCH_TYPE_END][SL_BENCH_FAMILY_END] = {
#define SL_BENCH(type, family, function) [SL_BENCH_##type][SL_BENCH_##family] = function,
#include "agent/bench/benches.inc"
#undef SL_BENCH
};

int sl_bench_run(const struct sl_bench_choice *choice, uint64_t seed,
                 struct sl_bench_stage_run *bench)
{
    bench_fn run = benches[bench->shape->type][bench->shape->family];
    return run ? run(choice, seed, bench) : SL_E_NOT_FOUND;
}

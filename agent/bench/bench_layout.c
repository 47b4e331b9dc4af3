/* agent/bench/bench_layout.c: permutations of elements of any size, and elements several times. */
#include "agent/bench/kernels.h"
#include "agent/bench/shape.h"
#include "agent/bench/single.h"
#include "agent/bench/stage.h"
#include "kernels/layout/layout.h"
#include "kernels/layout/layout_x16.h"
#include "kernels/layout/layout_x8.h"
#include "kernels/layout/repeat.h"

/* A bench of one size of elements; sizes differ only in their lists. */
#define PERMUTE_BENCH(type, list, permute)                                                         \
    static void permute##_run(void *data)                                                          \
    {                                                                                              \
        const struct sl_bench_single *single = data;                                               \
        const struct sl_bench_shape *s = single->shape;                                            \
        permute(single->kernel, s->rank, s->dims, s->perm, (const void *)single->operands.in,      \
                (void *)single->operands.out);                                                     \
    }                                                                                              \
    int sl_bench_permute##type(const struct sl_bench_choice *choice, uint64_t seed,                \
                               struct sl_bench_stage_run *bench)                                   \
    {                                                                                              \
        struct sl_bench_single single = {.shape = bench->shape};                                   \
        struct sl_bench_search search = {.choice = choice};                                        \
        const struct sl_##list *at;                                                                \
        for (size_t i = 0; (at = sl_##list##_at(i)); i++)                                          \
            if (sl_bench_consider(&search, at->name, at->needs, 1))                                \
                single.kernel = at;                                                                \
        return sl_bench_single_run(&search, &single, seed, "whole", permute##_run, bench);         \
    }

PERMUTE_BENCH(, transpose, sl_permute_x32)
PERMUTE_BENCH(_f16, transpose_x16, sl_permute_x16)
PERMUTE_BENCH(_qs8, transpose_x8, sl_permute_x8)

static void repeat(void *data)
{
    const struct sl_bench_single *single = data;
    const struct sl_bench_shape *s = single->shape;
    size_t bytes = s->type == SL_BENCH_QS8 ? 1 : s->type == SL_BENCH_F16 ? 2 : 4;
    ((const struct sl_repeat *)single->kernel)
        ->run(s->m, bytes, s->n, single->operands.in, single->operands.out);
}

int sl_bench_repeat(const struct sl_bench_choice *choice, uint64_t seed,
                    struct sl_bench_stage_run *bench)
{
    struct sl_bench_single single = {.shape = bench->shape};
    struct sl_bench_search search = {.choice = choice};
    const struct sl_repeat *at;
    for (size_t i = 0; (at = sl_repeat_at(i)); i++)
        if (sl_bench_consider(&search, at->name, at->needs, 1))
            single.kernel = at;
    return sl_bench_single_run(&search, &single, seed, "whole", repeat, bench);
}

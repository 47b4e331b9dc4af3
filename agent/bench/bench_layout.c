/* agent/bench/bench_layout.c: permutations of elements of any size, elements several times, and
 * elements that lie apart. */
#include "agent/bench/kernels.h"
#include "agent/bench/shape.h"
#include "agent/bench/single.h"
#include "agent/bench/stage.h"
#include "kernels/layout/layout.h"
#include "kernels/layout/layout_x16.h"
#include "kernels/layout/layout_x8.h"
#include "kernels/layout/repeat.h"
#include "kernels/layout/stride.h"

/* A bench that runs the best kernel of a list by `how`. */
#define LAYOUT_BENCH(bench_name, list, how)                                                        \
    int sl_bench_##bench_name(const struct sl_bench_choice *choice, uint64_t seed,                 \
                              struct sl_bench_stage_run *bench)                                    \
    {                                                                                              \
        struct sl_bench_single single = {.shape = bench->shape};                                   \
        struct sl_bench_search search = {.choice = choice};                                        \
        const struct sl_##list *at;                                                                \
        for (size_t i = 0; (at = sl_##list##_at(i)); i++)                                          \
            if (sl_bench_consider(&search, at->name, at->needs, 1))                                \
                single.kernel = at;                                                                \
        return sl_bench_single_run(&search, &single, seed, "whole", how, bench);                   \
    }

/* Permutations differ by the size of their elements. */
#define PERMUTE_BENCH(type, list, function)                                                        \
    static void function##_run(void *data)                                                         \
    {                                                                                              \
        const struct sl_bench_single *single = data;                                               \
        const struct sl_bench_shape *s = single->shape;                                            \
        function(single->kernel, s->rank, s->dims, s->perm, (const void *)single->operands.in,     \
                 (void *)single->operands.out);                                                    \
    }                                                                                              \
    LAYOUT_BENCH(permute##type, list, function##_run)

PERMUTE_BENCH(, transpose, sl_permute_x32)
PERMUTE_BENCH(_f16, transpose_x16, sl_permute_x16)
PERMUTE_BENCH(_qs8, transpose_x8, sl_permute_x8)

static size_t element_bytes(const struct sl_bench_shape *s)
{
    return s->type == SL_BENCH_QS8 ? 1 : s->type == SL_BENCH_F16 ? 2 : 4;
}

static void repeat_run(void *data)
{
    const struct sl_bench_single *single = data;
    const struct sl_bench_shape *s = single->shape;
    const struct sl_repeat *kernel = single->kernel;
    kernel->run(s->m, element_bytes(s), s->n, single->operands.in, single->operands.out);
}

static void stride_run(void *data)
{
    const struct sl_bench_single *single = data;
    const struct sl_bench_shape *s = single->shape;
    const struct sl_stride *kernel = single->kernel;
    kernel->run(s->m, element_bytes(s), (ptrdiff_t)s->n, single->operands.in, single->operands.out);
}

LAYOUT_BENCH(repeat, repeat, repeat_run)
LAYOUT_BENCH(stride, stride, stride_run)

/* agent/bench/bench_convert.c: conversions from one element type to another, and of rows to int8
 * with parameters of their own. */
#include <string.h>

#include "agent/bench/kernels.h"
#include "agent/bench/shape.h"
#include "agent/bench/single.h"
#include "agent/bench/stage.h"
#include "kernels/convert/convert.h"
#include "kernels/convert/quantise.h"

static void convert(void *data)
{
    const struct sl_bench_single *s = data;
    ((const struct sl_convert *)s->kernel)
        ->run(&(struct sl_convert_args){.count = s->shape->n,
                                        .in = s->operands.in,
                                        .out = s->operands.out,
                                        .in_scale = 0.0625f,
                                        .out_scale = 0.0078125f,
                                        .in_zero = 3,
                                        .out_zero = -5});
}

int sl_bench_convert(const struct sl_bench_choice *choice, uint64_t seed,
                     struct sl_bench_stage_run *bench)
{
    struct sl_bench_single s = {.shape = bench->shape};
    struct sl_bench_search search = {.choice = choice};
    const struct sl_convert *at;
    for (size_t i = 0; (at = sl_convert_at(i)); i++)
        if (sl_bench_consider(&search, at->name, at->needs,
                              sl_bench_single_computes(at->name, s.shape, strlen(s.shape->op))))
            s.kernel = at;
    return sl_bench_single_run(&search, &s, seed, "whole", convert, bench);
}

/* The parameters of a row, two words, are put into the workspace. */
static void quantise(void *data)
{
    const struct sl_bench_single *s = data;
    int type = s->shape->type == SL_BENCH_F16 ? SL_ROWS_F16 : SL_ROWS_F32;
    const struct sl_rows rows = {s->operands.in, s->shape->n, type, NULL};
    ((const struct sl_quantise *)s->kernel)
        ->run(s->shape->m, s->shape->n, &rows, (int8_t *)(void *)s->operands.out, s->shape->n,
              s->operands.workspace);
}

int sl_bench_quantise(const struct sl_bench_choice *choice, uint64_t seed,
                      struct sl_bench_stage_run *bench)
{
    struct sl_bench_single s = {.shape = bench->shape};
    struct sl_bench_search search = {.choice = choice};
    const struct sl_quantise *at;
    for (size_t i = 0; (at = sl_quantise_at(i)); i++)
        if (sl_bench_consider(&search, at->name, at->needs, 1))
            s.kernel = at;
    return sl_bench_single_run(&search, &s, seed, "whole", quantise, bench);
}

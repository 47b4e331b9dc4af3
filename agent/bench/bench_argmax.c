/* agent/bench/bench_argmax.c: pooling with indices, which there is of f32 alone. */
#include "agent/bench/kernels.h"
#include "agent/bench/shape.h"
#include "agent/bench/single.h"
#include "agent/bench/stage.h"
#include "kernels/pool/argmax.h"

static void run(void *data)
{
    const struct sl_bench_single *single = data;
    const struct sl_bench_shape *s = single->shape;
    ((const struct sl_argmax *)single->kernel)
        ->run(&(struct sl_argmax_args){1, s->out_h, s->out_w, s->in_c, s->kernel_h, s->kernel_w,
                                       single->operands.in, single->operands.out,
                                       single->operands.workspace});
}

int sl_bench_argmax(const struct sl_bench_choice *choice, uint64_t seed,
                    struct sl_bench_stage_run *bench)
{
    struct sl_bench_single single = {.shape = bench->shape};
    struct sl_bench_search search = {.choice = choice};
    const struct sl_argmax *at;
    for (size_t i = 0; (at = sl_argmax_at(i)); i++)
        if (sl_bench_consider(&search, at->name, at->needs, 1))
            single.kernel = at;
    return sl_bench_single_run(&search, &single, seed, "whole", run, bench);
}

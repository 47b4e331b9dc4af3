/* agent/bench/bench_qd8.c: stages of a dynamic int8 product, of int8 and of int4 weights, f32 out.
 */
#include <math.h>

#include "agent/bench/kernels.h"
#include "agent/bench/operands.h"
#include "agent/bench/shape.h"
#include "agent/bench/stage.h"
#include "kernels/matmul/matmul_qd8.h"

struct product {
    const struct sl_matmul_qd8 *kernel;
    struct sl_weights_qd8 weights;
    struct sl_matmul_qd8_args args;
    struct sl_bench_operands operands;
};

static void pack_rhs(void *data)
{
    const struct product *p = data;
    p->kernel->pack_rhs(p->kernel, &p->weights, p->operands.packed);
}

static void pack_lhs(void *data)
{
    const struct product *p = data;
    p->kernel->pack_lhs(p->kernel, p->args.m, p->args.k, &p->args.lhs, p->args.workspace);
}

static void run_packed(void *data)
{
    const struct product *p = data;
    p->kernel->run_packed(p->kernel, &p->args);
}

static void run_whole(void *data)
{
    const struct product *p = data;
    p->kernel->run(p->kernel, &p->args);
}

/* The bytes of random floats serve as int8 and nibbles; the floats behind them as scales. */
static int prepare(struct product *p, const struct sl_bench_shape *s, uint64_t seed)
{
    const struct sl_matmul_qd8 *kernel = p->kernel;
    size_t group = s->family == SL_BENCH_MATMUL_Q4_G32 ? 32 : 0,
           bytes = (s->n * (s->k + 1) + 3) / 4;
    const struct sl_bench_sizes sizes = {s->m * s->k,
                                         bytes + s->n * (group ? s->k / group : 1),
                                         s->n,
                                         s->m * s->n,
                                         kernel->rhs_bytes(kernel, s->n, s->k, group),
                                         kernel->workspace_bytes(kernel, s->m, s->n, s->k)};
    int rc = sl_bench_operands_init(&p->operands, &sizes, seed);
    if (rc < 0)
        return rc;
    p->weights = (struct sl_weights_qd8){.n = s->n,
                                         .k = s->k,
                                         .data = p->operands.weights,
                                         .scale = p->operands.weights + bytes,
                                         .group = group,
                                         .bias = p->operands.bias};
    p->args = (struct sl_matmul_qd8_args){.m = s->m,
                                          .n = s->n,
                                          .k = s->k,
                                          .group = group,
                                          .lhs = {p->operands.in, s->k, SL_ROWS_F32, NULL},
                                          .rhs = p->operands.packed,
                                          .dst = p->operands.out,
                                          .dst_type = SL_ROWS_F32,
                                          .dst_stride = s->n,
                                          .min = -0.5f,
                                          .max = 0.5f,
                                          .workspace = p->operands.workspace};
    return 0;
}

int sl_bench_matmul_qd8(const struct sl_bench_choice *choice, uint64_t seed,
                        struct sl_bench_stage_run *bench)
{
    struct product p = {.kernel = NULL};
    struct sl_bench_search search = {.choice = choice};
    const struct sl_matmul_qd8 *at;
    bool q4 = bench->shape->family != SL_BENCH_MATMUL_QD8;
    for (size_t i = 0; (at = sl_matmul_qd8_at(i)); i++) {
        int fits = at->q4 == q4 && (!at->gemv || bench->shape->m == 1);
        if (sl_bench_consider(&search, at->name, at->needs, fits))
            p.kernel = at;
    }
    int rc = sl_bench_chosen(&search, &bench->kernel);
    if (rc == 0)
        rc = prepare(&p, bench->shape, seed);
    if (rc == 0) {
        sl_bench_stage(bench, "rhs_pack", pack_rhs, &p);
        sl_bench_stage(bench, "lhs_pack", pack_lhs, &p);
        sl_bench_stage(bench, "kernel", run_packed, &p);
        sl_bench_stage(bench, "whole", run_whole, &p);
    }
    sl_bench_operands_fini(&p.operands);
    return rc < 0 ? rc : bench->error;
}

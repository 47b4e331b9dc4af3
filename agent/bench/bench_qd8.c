/* agent/bench/bench_qd8.c: stages of a dynamic int8 product, of int8 and of int4 weights, floats or
 * halves in and out, and of many of them over matrices that are no constants. */
#include <math.h>

#include "agent/bench/kernels.h"
#include "agent/bench/operands.h"
#include "agent/bench/shape.h"
#include "agent/bench/stage.h"
#include "kernels/matmul/batch_qd8.h"

struct product {
    const struct sl_matmul_qd8 *kernel;
    struct sl_weights_qd8 weights;
    struct sl_matmul_qd8_args args;
    struct sl_batch_qd8_args batch;
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

static void run_batch(void *data)
{
    const struct product *p = data;
    sl_batch_qd8_run(p->kernel, &p->batch);
}

/* The bytes of random floats serve as int8 and nibbles; the floats behind them as scales. */
static int prepare_operands(struct product *p, const struct sl_bench_shape *s, size_t bytes,
                            uint64_t seed)
{
    const struct sl_matmul_qd8 *kernel = p->kernel;
    size_t group = sl_bench_shape_group(s), m = s->m / s->batch;
    const struct sl_bench_sizes sizes = {
        sl_bench_shape_in(s),
        bytes + s->batch * s->n * (group ? s->k / group : 1),
        s->n,
        s->m * s->n,
        kernel->rhs_bytes(kernel, s->n, s->k, group),
        s->family == SL_BENCH_BATCH_QD8 ? sl_batch_qd8_workspace_bytes(kernel, m, s->n, s->k, group)
                                        : kernel->workspace_bytes(kernel, m, s->n, s->k)};
    int rc = sl_bench_operands_init(&p->operands, &sizes, seed);
    if (rc == 0)
        sl_bench_operands_narrow(&p->operands, &(struct sl_bench_sizes){.in = sizes.in}, s->type);
    return rc;
}

static int prepare(struct product *p, const struct sl_bench_shape *s, uint64_t seed)
{
    size_t group = sl_bench_shape_group(s), m = s->m / s->batch;
    size_t bytes = (s->batch * s->n * (s->k + 1) + 3) / 4; /* of weights, in floats */
    int type = s->type == SL_BENCH_F16 ? SL_ROWS_F16 : SL_ROWS_F32;
    size_t element = s->type == SL_BENCH_F16 ? 2 : 4;
    int rc = prepare_operands(p, s, bytes, seed);
    if (rc < 0)
        return rc;
    p->weights = (struct sl_weights_qd8){.n = s->n,
                                         .k = s->k,
                                         .data = p->operands.weights,
                                         .transposed = s->family == SL_BENCH_BATCH_QD8,
                                         .scale = p->operands.weights + bytes,
                                         .group = group,
                                         .bias = p->operands.bias};
    p->args = (struct sl_matmul_qd8_args){.m = m,
                                          .n = s->n,
                                          .k = s->k,
                                          .group = group,
                                          .lhs = {p->operands.in, s->k, type, NULL},
                                          .rhs = p->operands.packed,
                                          .dst = p->operands.out,
                                          .dst_type = type,
                                          .dst_stride = s->n,
                                          .min = -0.5f,
                                          .max = 0.5f,
                                          .workspace = p->operands.workspace};
    p->batch = (struct sl_batch_qd8_args){.batches = s->batch,
                                          .product = p->args,
                                          .rhs = p->weights,
                                          .lhs_bytes = m * s->k * element,
                                          .rhs_bytes = s->n * s->k,
                                          .scale_bytes = s->n * sizeof(float),
                                          .dst_bytes = m * s->n * element};
    return 0;
}

static void run_stages(struct product *p, struct sl_bench_stage_run *bench)
{
    sl_bench_stage(bench, "rhs_pack", pack_rhs, p);
    sl_bench_stage(bench, "lhs_pack", pack_lhs, p);
    sl_bench_stage(bench, "kernel", run_packed, p);
    sl_bench_stage(bench, "whole", run_whole, p);
}

int sl_bench_matmul_qd8(const struct sl_bench_choice *choice, uint64_t seed,
                        struct sl_bench_stage_run *bench)
{
    const struct sl_bench_shape *s = bench->shape;
    struct product p = {.kernel = NULL};
    struct sl_bench_search search = {.choice = choice};
    const struct sl_matmul_qd8 *at;
    bool batch = s->family == SL_BENCH_BATCH_QD8, q4 = s->family != SL_BENCH_MATMUL_QD8 && !batch;
    for (size_t i = 0; (at = sl_matmul_qd8_at(i)); i++) {
        int fits = at->q4 == q4 && (!at->gemv || s->m == s->batch);
        if (sl_bench_consider(&search, at->name, at->needs, fits))
            p.kernel = at;
    }
    int rc = sl_bench_chosen(&search, &bench->kernel);
    if (rc == 0)
        rc = prepare(&p, s, seed);
    if (rc == 0 && batch)
        sl_bench_stage(bench, "whole", run_batch, &p);
    else if (rc == 0)
        run_stages(&p, bench);
    sl_bench_operands_fini(&p.operands);
    return rc < 0 ? rc : bench->error;
}

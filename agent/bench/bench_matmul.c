/* agent/bench/bench_matmul.c: stages of a product of floats: both packs, the kernel, the whole. */
#include <math.h>
#include <stdbool.h>

#include "agent/bench/kernels.h"
#include "agent/bench/operands.h"
#include "agent/bench/shape.h"
#include "agent/bench/stage.h"
#include "kernels/matmul/matmul.h"

struct product {
    const struct sl_bench_shape *shape;
    const struct sl_matmul *kernel;
    struct sl_matmul_args args;
    struct sl_bench_operands operands;
};

static void pack_weights(const struct product *p, bool transposed)
{
    p->kernel->pack_rhs(p->args.n, p->args.k, (const void *)p->operands.weights, transposed,
                        transposed ? NULL : (const void *)p->operands.bias, p->operands.packed);
}

static void pack_rhs(void *data)
{
    pack_weights(data, false);
}

/* A right operand as it comes, [k][n]: that of products of two activations. */
static void pack_rhs_kn(void *data)
{
    pack_weights(data, true);
}

static void pack_lhs(void *data)
{
    const struct product *p = data;
    p->kernel->pack_lhs(&p->args);
}

static void run_packed(void *data)
{
    const struct product *p = data;
    p->kernel->run_packed(&p->args);
}

static void run_whole(void *data)
{
    const struct product *p = data;
    p->kernel->run(&p->args);
}

/* Multiplies pairs of matrices and packs every right one on the way. */
static void run_batch(void *data)
{
    const struct product *p = data;
    struct sl_matmul_args args = p->args;
    bool transposed = p->shape->family == SL_BENCH_BATCH;
    size_t element = sl_element_bytes(p->kernel->element);
    const char *rhs = (const void *)p->operands.weights;
    for (size_t i = 0; i < p->shape->batch; i++) {
        p->kernel->pack_rhs(args.n, args.k, rhs, transposed, NULL, p->operands.packed);
        p->kernel->run(&args);
        args.lhs = (const char *)args.lhs + args.m * args.k * element;
        rhs += args.n * args.k * element;
        args.dst = (char *)args.dst + args.m * args.n * element;
    }
}

static int prepare(struct product *p, const struct sl_bench_shape *s, uint64_t seed)
{
    size_t m = s->m / s->batch; /* of one pair */
    const struct sl_bench_sizes sizes = {
        s->m * s->k, s->n * s->k * s->batch,           s->n,
        s->m * s->n, p->kernel->rhs_bytes(s->n, s->k), p->kernel->workspace_bytes(m, s->n, s->k)};
    int rc = sl_bench_operands_init(&p->operands, &sizes, seed);
    if (rc == 0)
        sl_bench_operands_narrow(&p->operands, &sizes, s->type);
    p->args = (struct sl_matmul_args){.m = m,
                                      .n = s->n,
                                      .k = s->k,
                                      .lhs = (const void *)p->operands.in,
                                      .lhs_stride = s->k,
                                      .rhs = p->operands.packed,
                                      .dst = (void *)p->operands.out,
                                      .dst_stride = s->n,
                                      .min = -INFINITY,
                                      .max = INFINITY,
                                      .workspace = p->operands.workspace};
    return rc;
}

static void run_stages(struct product *p, struct sl_bench_stage_run *bench)
{
    sl_bench_stage(bench, "rhs_pack_kn", pack_rhs_kn, p);
    sl_bench_stage(bench, "rhs_pack", pack_rhs, p);
    if (p->kernel->pack_lhs && p->kernel->run_packed) {
        sl_bench_stage(bench, "lhs_pack", pack_lhs, p);
        sl_bench_stage(bench, "kernel", run_packed, p);
    } else {
        sl_bench_stage(bench, "kernel", run_whole, p); /* the left operand is read in place */
    }
    sl_bench_stage(bench, "whole", run_whole, p);
}

int sl_bench_matmul(const struct sl_bench_choice *choice, uint64_t seed,
                    struct sl_bench_stage_run *bench)
{
    const struct sl_bench_shape *s = bench->shape;
    struct product p = {.shape = s};
    struct sl_bench_search search = {.choice = choice};
    const struct sl_matmul *at;
    for (size_t i = 0; (at = sl_matmul_at(i)); i++) {
        if (sl_bench_consider(&search, at->name, at->needs,
                              at->element == sl_bench_element(s) &&
                                  (!at->gemv || s->m == s->batch)))
            p.kernel = at;
    }
    int rc = sl_bench_chosen(&search, &bench->kernel);
    if (rc == 0)
        rc = prepare(&p, s, seed);
    if (rc == 0 && s->family == SL_BENCH_MATMUL)
        run_stages(&p, bench);
    else if (rc == 0)
        sl_bench_stage(bench, "whole", run_batch, &p);
    sl_bench_operands_fini(&p.operands);
    return rc < 0 ? rc : bench->error;
}

/* agent/bench/bench_matmul.c: stages of a matrix product: both packs, the kernel, the whole. */
#include <errno.h>
#include <math.h>

#include "agent/bench/kernels.h"
#include "agent/bench/shape.h"
#include "agent/bench/stage.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "kernels/matmul/matmul.h"

struct product {
    const struct sl_matmul *kernel;
    struct sl_matmul_args args;
    float *lhs, *rhs, *bias;
    void *packed;
};

static void pack_rhs(void *data)
{
    const struct product *p = data;
    p->kernel->pack_rhs(p->args.n, p->args.k, p->rhs, false, p->bias, p->packed);
}

static void pack_lhs(void *data)
{
    const struct product *p = data;
    p->kernel->pack_lhs(p->args.m, p->args.k, p->lhs, p->args.lhs_stride, p->args.workspace);
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

static int choose(const struct sl_bench_choice *choice, size_t m, const struct sl_matmul **out)
{
    int rc = SL_E_NOT_FOUND;
    const struct sl_matmul *kernel;
    for (size_t i = 0; (kernel = sl_matmul_at(i)); i++) {
        if (!sl_bench_takes(choice, kernel->name) || (kernel->gemv && m != 1))
            continue;
        *out = kernel;
        if ((kernel->needs & ~choice->isa) == 0)
            return 0;
        rc = SL_E_UNSUPPORTED;
    }
    return rc;
}

static int prepare(struct product *p, const struct sl_bench_shape *s, uint64_t seed)
{
    size_t workspace = p->kernel->workspace_bytes(s->m, s->n, s->k);
    p->lhs = sl_aligned_alloc(64, s->m * s->k * sizeof(float));
    p->rhs = sl_aligned_alloc(64, s->n * s->k * sizeof(float));
    p->bias = sl_aligned_alloc(64, s->n * sizeof(float));
    p->packed = sl_aligned_alloc(64, p->kernel->rhs_bytes(s->n, s->k));
    p->args = (struct sl_matmul_args){.m = s->m,
                                      .n = s->n,
                                      .k = s->k,
                                      .lhs = p->lhs,
                                      .lhs_stride = s->k,
                                      .rhs = p->packed,
                                      .dst = sl_aligned_alloc(64, s->m * s->n * sizeof(float)),
                                      .dst_stride = s->n,
                                      .min = -INFINITY,
                                      .max = INFINITY,
                                      .workspace = sl_aligned_alloc(64, workspace)};
    if (!p->lhs || !p->rhs || !p->bias || !p->packed || !p->args.dst || !p->args.workspace)
        return -ENOMEM;
    sl_bench_fill(p->lhs, s->m * s->k, seed);
    sl_bench_fill(p->rhs, s->n * s->k, seed + 1);
    sl_bench_fill(p->bias, s->n, seed + 2);
    return 0;
}

static void release(struct product *p)
{
    sl_free(p->lhs);
    sl_free(p->rhs);
    sl_free(p->bias);
    sl_free(p->packed);
    sl_free(p->args.dst);
    sl_free(p->args.workspace);
}

int sl_bench_matmul(const struct sl_bench_choice *choice, uint64_t seed,
                    struct sl_bench_stage_run *bench)
{
    struct product p = {.kernel = NULL};
    int rc = choose(choice, bench->shape->m, &p.kernel);
    bench->kernel = p.kernel ? p.kernel->name : NULL;
    if (rc == 0)
        rc = prepare(&p, bench->shape, seed);
    if (rc == 0) {
        sl_bench_stage(bench, "rhs_pack", pack_rhs, &p);
        if (p.kernel->pack_lhs && p.kernel->run_packed) {
            sl_bench_stage(bench, "lhs_pack", pack_lhs, &p);
            sl_bench_stage(bench, "kernel", run_packed, &p);
        } else {
            sl_bench_stage(bench, "kernel", run_whole, &p); /* the left operand is read in place */
        }
        sl_bench_stage(bench, "whole", run_whole, &p);
        rc = bench->error;
    }
    release(&p);
    return rc;
}

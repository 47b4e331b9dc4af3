/* agent/bench/bench_depthwise.c: stages of a depthwise convolution: the weights' pack and the
 * whole. */
#include <errno.h>
#include <math.h>

#include "agent/bench/kernels.h"
#include "agent/bench/shape.h"
#include "agent/bench/stage.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "kernels/depthwise/depthwise.h"

struct layer {
    const struct sl_depthwise *kernel;
    struct sl_depthwise_args args;
    float *in, *weights, *bias;
    void *packed;
};

static void pack_weights(void *data)
{
    const struct layer *l = data;
    l->kernel->pack_weights(&l->args.shape, l->weights, l->bias, l->packed);
}

static void run_whole(void *data)
{
    const struct layer *l = data;
    l->kernel->run(&l->args);
}

static struct sl_depthwise_shape layer_shape(const struct sl_bench_shape *s)
{
    return (struct sl_depthwise_shape){.batch = 1,
                                       .in_h = s->in_h,
                                       .in_w = s->in_w,
                                       .out_h = s->out_h,
                                       .out_w = s->out_w,
                                       .channels = s->in_c,
                                       .multiplier = 1,
                                       .kernel_h = s->kernel_h,
                                       .kernel_w = s->kernel_w,
                                       .stride_h = s->stride,
                                       .stride_w = s->stride,
                                       .dilation_h = 1,
                                       .dilation_w = 1,
                                       .pad_top = s->padding,
                                       .pad_left = s->padding};
}

static int choose(const struct sl_bench_choice *choice, const struct sl_depthwise_shape *shape,
                  const struct sl_depthwise **out)
{
    int rc = SL_E_NOT_FOUND;
    const struct sl_depthwise *kernel;
    for (size_t i = 0; (kernel = sl_depthwise_at(i)); i++) {
        if (!sl_bench_takes(choice, kernel->name) || (kernel->fits && !kernel->fits(shape)))
            continue;
        *out = kernel;
        if ((kernel->needs & ~choice->isa) == 0)
            return 0;
        rc = SL_E_UNSUPPORTED;
    }
    return rc;
}

static int prepare(struct layer *l, const struct sl_bench_shape *s, uint64_t seed)
{
    const struct sl_depthwise_shape *shape = &l->args.shape;
    size_t inputs = s->in_h * s->in_w * s->in_c;
    l->in = sl_aligned_alloc(64, inputs * sizeof(float));
    l->weights = sl_aligned_alloc(64, s->k * s->n * sizeof(float));
    l->bias = sl_aligned_alloc(64, s->n * sizeof(float));
    l->packed = sl_aligned_alloc(64, l->kernel->weights_bytes(shape));
    l->args.in = l->in;
    l->args.weights = l->packed;
    l->args.out = sl_aligned_alloc(64, s->m * s->n * sizeof(float));
    l->args.workspace = sl_aligned_alloc(64, l->kernel->workspace_bytes(shape));
    l->args.min = -INFINITY;
    l->args.max = INFINITY;
    if (!l->in || !l->weights || !l->bias || !l->packed || !l->args.out || !l->args.workspace)
        return -ENOMEM;
    sl_bench_fill(l->in, inputs, seed);
    sl_bench_fill(l->weights, s->k * s->n, seed + 1);
    sl_bench_fill(l->bias, s->n, seed + 2);
    return 0;
}

static void release(struct layer *l)
{
    sl_free(l->in);
    sl_free(l->weights);
    sl_free(l->bias);
    sl_free(l->packed);
    sl_free(l->args.out);
    sl_free(l->args.workspace);
}

int sl_bench_depthwise(const struct sl_bench_choice *choice, uint64_t seed,
                       struct sl_bench_stage_run *bench)
{
    struct layer l = {.args.shape = layer_shape(bench->shape)};
    int rc = choose(choice, &l.args.shape, &l.kernel);
    bench->kernel = l.kernel ? l.kernel->name : NULL;
    if (rc == 0)
        rc = prepare(&l, bench->shape, seed);
    if (rc == 0) {
        sl_bench_stage(bench, "rhs_pack", pack_weights, &l);
        sl_bench_stage(bench, "whole", run_whole, &l);
        rc = bench->error;
    }
    release(&l);
    return rc;
}

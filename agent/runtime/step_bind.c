/* agent/runtime/step_bind.c: addresses and clamps into shaped steps. */
#include <assert.h>

#include "agent/runtime/step.h"

void sl_step_set_clamp(struct sl_step *step, float min, float max)
{
    float *to_min, *to_max;
    switch (step->kind) {
    case SL_STEP_GEMM:
        to_min = &step->gemm.args.min;
        to_max = &step->gemm.args.max;
        break;
    case SL_STEP_BATCH_GEMM:
        to_min = &step->batch_gemm.args.min;
        to_max = &step->batch_gemm.args.max;
        break;
    case SL_STEP_DECONV:
        to_min = &step->deconv.fold_args.min;
        to_max = &step->deconv.fold_args.max;
        break;
    case SL_STEP_CONV:
        to_min = &step->conv.args.min;
        to_max = &step->conv.args.max;
        break;
    case SL_STEP_DEPTHWISE:
        to_min = &step->depthwise.args.min;
        to_max = &step->depthwise.args.max;
        break;
    case SL_STEP_POOL:
        to_min = &step->pool.args.min;
        to_max = &step->pool.args.max;
        break;
    case SL_STEP_BINARY:
        to_min = &step->binary.args.min;
        to_max = &step->binary.args.max;
        break;
    default:
        return; /* an empty step has nothing to clamp */
    }
    *to_min = min;
    *to_max = max;
}

static void bind_weighted(struct sl_step *step, const struct sl_step_operands *o)
{
    switch (step->kind) {
    case SL_STEP_GEMM:
        step->gemm.args.lhs = o->a;
        step->gemm.args.rhs = o->b ? o->b : step->gemm.args.rhs;
        step->gemm.args.dst = o->out;
        step->gemm.args.workspace = o->workspace;
        break;
    case SL_STEP_CONV:
        step->conv.args.in = o->a;
        step->conv.args.weights = o->b ? o->b : step->conv.args.weights;
        step->conv.args.out = o->out;
        step->conv.args.workspace = o->workspace;
        break;
    case SL_STEP_DEPTHWISE:
        step->depthwise.args.in = o->a;
        step->depthwise.args.weights = o->b ? o->b : step->depthwise.args.weights;
        step->depthwise.args.out = o->out;
        step->depthwise.args.workspace = o->workspace;
        break;
    default:
        step->pack.weights = o->a;
        step->pack.bias = o->b;
        step->pack.packed = o->out;
        break;
    }
}

/* The packed matrix comes first in the workspace. */
static void bind_batch_gemm(struct sl_step *step, const struct sl_step_operands *o)
{
    struct sl_batch_gemm *g = &step->batch_gemm;
    size_t packed = g->kernel->rhs_bytes(g->args.n, g->args.k);
    g->a = o->a;
    g->b = o->b;
    g->out = o->out;
    g->packed = o->workspace;
    g->args.rhs = o->workspace;
    g->args.workspace = (uint8_t *)o->workspace + ((packed + 63) & ~(size_t)63);
}

/* The patches come first in the workspace. */
static void bind_deconv(struct sl_step *step, const struct sl_step_operands *o)
{
    struct sl_deconv *d = &step->deconv;
    size_t patches = d->args.m * d->args.dst_stride * sizeof(float);
    d->in = o->a;
    d->out = o->out;
    d->args.dst = o->workspace;
    d->fold_args.patches = o->workspace;
    d->args.workspace = (uint8_t *)o->workspace + ((patches + 63) & ~(size_t)63);
}

static void bind_pool(struct sl_step *step, const struct sl_step_operands *o)
{
    struct sl_pool_args *args =
        step->kind == SL_STEP_POOL ? &step->pool.args : &step->pool_index.args;
    args->in = o->a;
    args->out = o->out;
    if (step->kind == SL_STEP_POOL_INDEX)
        step->pool_index.index = (int64_t *)(uintptr_t)o->b; /* an output: the places */
}

void sl_step_bind(struct sl_step *step, const struct sl_step_operands *o)
{
    switch (step->kind) {
    case SL_STEP_GEMM:
    case SL_STEP_CONV:
    case SL_STEP_DEPTHWISE:
    case SL_STEP_PACK:
        bind_weighted(step, o);
        break;
    case SL_STEP_BATCH_GEMM:
        bind_batch_gemm(step, o);
        break;
    case SL_STEP_DECONV:
        bind_deconv(step, o);
        break;
    case SL_STEP_RESIZE:
        step->resize.args.in = o->a;
        step->resize.args.out = o->out;
        break;
    case SL_STEP_POOL:
    case SL_STEP_POOL_INDEX:
        bind_pool(step, o);
        break;
    case SL_STEP_BINARY:
        step->binary.args.a = o->a;
        step->binary.args.b = o->b;
        step->binary.args.out = o->out;
        break;
    case SL_STEP_UNARY:
        step->unary.in = o->a;
        step->unary.out = o->out;
        break;
    case SL_STEP_REDUCE:
        step->reduce.args.in = o->a;
        step->reduce.args.out = o->out;
        break;
    case SL_STEP_PERMUTE:
        step->permute.in = o->a;
        step->permute.out = o->out;
        break;
    case SL_STEP_COPY:
        step->copy.in = o->a;
        step->copy.out = o->out;
        break;
    case SL_STEP_FILL:
        step->fill.out = o->out;
        break;
    default:
        assert(step->kind == SL_STEP_NONE || step->kind == SL_STEP_OWN);
        break;
    }
}

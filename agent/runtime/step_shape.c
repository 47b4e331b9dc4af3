/* agent/runtime/step_shape.c: what shapes steps take, and how they broadcast. */
#include "agent/runtime/step.h"

/* True if an operand of `dims`, aligned at the end, moves along dimension d of the output. */
static int moves(size_t rank, const size_t *dims, size_t out_rank, size_t d)
{
    return rank + d >= out_rank && dims[rank + d - out_rank] != 1;
}

/* Merges output dimensions along which both operands behave alike, innermost first. Writes the
 * merged sizes with the two flags; returns their number, at least 1. */
static size_t merge_dims(size_t a_rank, const size_t *a_dims, size_t b_rank, const size_t *b_dims,
                         size_t out_rank, const size_t *out_dims, size_t *sizes, int *flags)
{
    size_t n = 0;
    for (size_t d = out_rank; d > 0; d--) {
        int flag = moves(a_rank, a_dims, out_rank, d - 1) | moves(b_rank, b_dims, out_rank, d - 1)
                                                                << 1;
        if (out_dims[d - 1] == 1)
            continue;
        if (n > 0 && flags[n - 1] == flag) {
            sizes[n - 1] *= out_dims[d - 1];
        } else {
            sizes[n] = out_dims[d - 1];
            flags[n++] = flag;
        }
    }
    if (n == 0) {
        sizes[n] = 1;
        flags[n++] = 3;
    }
    return n;
}

bool sl_broadcast_of(size_t a_rank, const size_t *a_dims, size_t b_rank, const size_t *b_dims,
                     size_t out_rank, const size_t *out_dims, size_t element_bytes,
                     struct sl_broadcast_plan *out)
{
    size_t sizes[SL_STEP_MAX_RANK + 1];
    int flags[SL_STEP_MAX_RANK + 1];
    for (size_t d = 0; d < out_rank; d++)
        if (out_dims[d] == 0)
            return false;
    size_t n = merge_dims(a_rank, a_dims, b_rank, b_dims, out_rank, out_dims, sizes, flags);
    *out = (struct sl_broadcast_plan){
        .count = sizes[0], .a_step = flags[0] & 1, .b_step = (size_t)flags[0] >> 1, .rank = n - 1};
    size_t a_stride = (out->a_step ? sizes[0] : 1) * element_bytes;
    size_t b_stride = (out->b_step ? sizes[0] : 1) * element_bytes;
    for (size_t i = 1; i < n; i++) { /* i counts from the inside, dims from the outside */
        size_t d = n - 1 - i;
        out->dims[d] = sizes[i];
        out->a_strides[d] = flags[i] & 1 ? a_stride : 0;
        out->b_strides[d] = flags[i] >> 1 ? b_stride : 0;
        a_stride *= flags[i] & 1 ? sizes[i] : 1;
        b_stride *= flags[i] >> 1 ? sizes[i] : 1;
    }
    return true;
}

bool sl_broadcast_next(const struct sl_broadcast_plan *plan, struct sl_broadcast_at *at)
{
    for (size_t d = plan->rank; d > 0; d--) {
        at->a += plan->a_strides[d - 1];
        at->b += plan->b_strides[d - 1];
        if (++at->index[d - 1] < plan->dims[d - 1])
            return true;
        at->a -= plan->a_strides[d - 1] * at->index[d - 1];
        at->b -= plan->b_strides[d - 1] * at->index[d - 1];
        at->index[d - 1] = 0;
    }
    return false;
}

bool sl_conv_ok(const struct sl_conv_shape *s)
{
    size_t in[] = {s->batch, s->in_h, s->in_w, s->groups, s->group_in_c};
    size_t out[] = {s->batch, s->out_h, s->out_w, s->groups, s->group_out_c};
    size_t w[] = {s->groups, s->group_out_c, s->kernel_h, s->kernel_w, s->group_in_c};
    size_t patch[] = {s->out_h, s->out_w, s->kernel_h, s->kernel_w, s->group_in_c};
    return sl_product_ok(in, 5) && sl_product_ok(out, 5) && sl_product_ok(w, 5) &&
           sl_product_ok(patch, 5) &&
           sl_window_ok(s->in_h, s->out_h, s->kernel_h, s->stride_h, s->dilation_h, s->pad_top) &&
           sl_window_ok(s->in_w, s->out_w, s->kernel_w, s->stride_w, s->dilation_w, s->pad_left);
}

bool sl_depthwise_ok(const struct sl_depthwise_shape *s)
{
    size_t in[] = {s->batch, s->in_h, s->in_w, s->channels, s->multiplier}; /* repeated */
    size_t out[] = {s->batch, s->out_h, s->out_w, s->channels, s->multiplier};
    size_t w[] = {s->channels, s->multiplier, s->kernel_h, s->kernel_w};
    return sl_product_ok(in, 5) && sl_product_ok(out, 5) && sl_product_ok(w, 4) &&
           sl_window_ok(s->in_h, s->out_h, s->kernel_h, s->stride_h, s->dilation_h, s->pad_top) &&
           sl_window_ok(s->in_w, s->out_w, s->kernel_w, s->stride_w, s->dilation_w, s->pad_left);
}

bool sl_deconv_ok(const struct sl_conv_shape *s)
{
    size_t in[] = {s->batch, s->in_h, s->in_w, s->groups, s->group_in_c};
    size_t out[] = {s->batch, s->out_h, s->out_w, s->groups, s->group_out_c};
    size_t patches[] = {s->in_h, s->in_w, s->groups, s->group_out_c, s->kernel_h, s->kernel_w};
    size_t w[] = {s->groups, s->group_out_c, s->kernel_h, s->kernel_w, s->group_in_c};
    return sl_product_ok(in, 5) && sl_product_ok(out, 5) && sl_product_ok(patches, 6) &&
           sl_product_ok(w, 5) &&
           sl_window_ok(s->out_h, s->in_h, s->kernel_h, s->stride_h, s->dilation_h, s->pad_top) &&
           sl_window_ok(s->out_w, s->in_w, s->kernel_w, s->stride_w, s->dilation_w, s->pad_left);
}

struct sl_depthwise_shape sl_step_depthwise_shape(const struct sl_conv_shape *shape)
{
    return (struct sl_depthwise_shape){
        .batch = shape->batch,
        .in_h = shape->in_h,
        .in_w = shape->in_w,
        .out_h = shape->out_h,
        .out_w = shape->out_w,
        .channels = shape->groups,
        .multiplier = shape->group_out_c,
        .kernel_h = shape->kernel_h,
        .kernel_w = shape->kernel_w,
        .stride_h = shape->stride_h,
        .stride_w = shape->stride_w,
        .dilation_h = shape->dilation_h,
        .dilation_w = shape->dilation_w,
        .pad_top = shape->pad_top,
        .pad_left = shape->pad_left,
    };
}

struct sl_depthwise_shape sl_depthwise_widen(const struct sl_depthwise_shape *shape)
{
    struct sl_depthwise_shape wide = *shape;
    wide.channels *= wide.multiplier;
    wide.multiplier = 1;
    return wide;
}

size_t sl_repeated_bytes(const struct sl_depthwise_shape *wide, size_t element_bytes)
{
    size_t bytes = wide->batch * wide->in_h * wide->in_w * wide->channels * element_bytes;
    return (bytes + 63) & ~(size_t)63;
}

/* kernels/conv/conv_channels.h: convolution of each channel on its own, which transposed ones with
 * as many groups as channels are made of, by a depthwise kernel that fits any window; of the type
 * that the including file names (kernels/cpu/element.h), the kernel KERNEL, by DEPTHWISE, which
 * needs NEEDS.
 *
 * Packed weights are those of the depthwise kernel, behind them the taps in the order that it takes
 * them, which only packing needs. Where output pixels do not follow each other, some rows at a time
 * are computed in the workspace and copied. */
#pragma once

#include <string.h>

#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"

/* Fewer channels are a small part of what the depthwise kernel takes at once. In the workspace
 * are BUFFER elements, or a row. */
enum { LEAST_CHANNELS = 8, BUFFER = 16384 };

static size_t left_out(size_t pad)
{
    return pad > SIZE_MAX / 2 ? (size_t)0 - pad : 0; /* a negative padding */
}

static bool fits(const struct sl_conv_shape *s)
{
    return s->group_in_c == 1 && s->group_out_c == 1 && s->groups >= LEAST_CHANNELS &&
           (s->stride_w == 1 || left_out(s->pad_left) == 0);
}

/* Columns on the left that are computed for nothing: windows that would begin before those of a
 * negative padding. Strides of one only. */
static struct sl_depthwise_shape shape_of(const struct sl_conv_shape *s)
{
    size_t left = left_out(s->pad_left);
    return (struct sl_depthwise_shape){
        .batch = 1,
        .in_h = s->in_h,
        .in_w = s->in_w,
        .out_h = s->out_h,
        .out_w = s->out_w + left,
        .channels = s->groups,
        .multiplier = 1,
        .kernel_h = s->kernel_h,
        .kernel_w = s->kernel_w,
        .stride_h = s->stride_h,
        .stride_w = s->stride_w,
        .dilation_h = s->dilation_h,
        .dilation_w = s->dilation_w,
        .pad_left = left ? 0 : s->pad_left,
    };
}

static size_t rounded(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static size_t weights_bytes(const struct sl_conv_shape *s)
{
    const struct sl_depthwise_shape shape = shape_of(s);
    return rounded(DEPTHWISE.weights_bytes(&shape)) +
           s->kernel_h * s->kernel_w * s->groups * sizeof(SL_ELEMENT);
}

static void pack_weights(const struct sl_conv_shape *s, const SL_ELEMENT *weights,
                         const SL_RESULT *bias, void *packed)
{
    const struct sl_depthwise_shape shape = shape_of(s);
    size_t taps = s->kernel_h * s->kernel_w;
    SL_ELEMENT *turned =
        (SL_ELEMENT *)(void *)((char *)packed + rounded(DEPTHWISE.weights_bytes(&shape)));
    for (size_t t = 0; t < taps; t++)
        for (size_t c = 0; c < s->groups; c++)
            turned[t * s->groups + c] = weights[c * taps + t];
    DEPTHWISE.pack_weights(&shape, turned, bias, packed);
}

static size_t rows_at_once(const struct sl_depthwise_shape *shape)
{
    size_t row = shape->out_w * shape->channels, rows = BUFFER / (row + 1);
    return rows > 0 ? rows : 1;
}

static size_t buffer_bytes(const struct sl_depthwise_shape *shape)
{
    return rounded(rows_at_once(shape) * shape->out_w * shape->channels * sizeof(SL_ELEMENT));
}

static size_t workspace_bytes(const struct sl_conv_shape *s)
{
    const struct sl_depthwise_shape shape = shape_of(s);
    return buffer_bytes(&shape) + DEPTHWISE.workspace_bytes(&shape);
}

/* `rows` output rows of an image from row `first` on, to `out`, dense. */
static void run_rows(const struct SL_NAME(sl_conv, _args) * args, const SL_ELEMENT *in,
                     size_t first, size_t rows, SL_ELEMENT *out)
{
    const struct sl_conv_shape *s = &args->shape;
    struct SL_NAME(sl_depthwise, _args) job = {.shape = shape_of(s),
                                               .weights = args->weights,
                                               .out = out,
                                               .min = args->min,
                                               .max = args->max};
    size_t top = first * s->stride_h - s->pad_top; /* of its windows; may wrap */
    bool inside = left_out(top) == 0;
    size_t skipped = !inside ? 0 : top < s->in_h ? top : s->in_h;
    job.workspace = (char *)args->workspace + buffer_bytes(&job.shape);
    job.in = in + skipped * s->in_w * s->groups;
    job.shape.in_h = s->in_h - skipped;
    job.shape.out_h = rows;
    job.shape.pad_top = inside ? 0 : (size_t)0 - top;
    DEPTHWISE.run(&job);
}

/* By way of the workspace. */
static void run_apart(const struct SL_NAME(sl_conv, _args) * args, const SL_ELEMENT *in,
                      SL_ELEMENT *out, size_t out_pixel, size_t out_row)
{
    const struct sl_conv_shape *s = &args->shape;
    const struct sl_depthwise_shape shape = shape_of(s);
    SL_ELEMENT *buffer = args->workspace;
    size_t left = shape.out_w - s->out_w, channels = s->groups;
    for (size_t y = 0, rows; y < s->out_h; y += rows) {
        rows = rows_at_once(&shape) < s->out_h - y ? rows_at_once(&shape) : s->out_h - y;
        run_rows(args, in, y, rows, buffer);
        for (size_t i = 0; i < rows; i++) {
            const SL_ELEMENT *from = buffer + (i * shape.out_w + left) * channels;
            SL_ELEMENT *to = out + (y + i) * out_row;
            for (size_t x = 0; x < s->out_w; x++, from += channels, to += out_pixel)
                memcpy(to, from, channels * sizeof(SL_ELEMENT));
        }
    }
}

static void run(const struct SL_NAME(sl_conv, _args) * args)
{
    const struct sl_conv_shape *s = &args->shape;
    size_t out_pixel = args->out_pixel, out_row = args->out_row, channels = s->groups;
    if (s->out_h == 0 || s->out_w == 0)
        return;
    sl_conv_strides(s, &out_pixel, &out_row);
    bool dense =
        out_pixel == channels && out_row == s->out_w * channels && left_out(s->pad_left) == 0;
    for (size_t b = 0; b < s->batch; b++) {
        const SL_ELEMENT *in = args->in + b * s->in_h * s->in_w * channels;
        SL_ELEMENT *out = args->out + b * s->out_h * out_row;
        if (dense)
            run_rows(args, in, 0, s->out_h, out);
        else
            run_apart(args, in, out, out_pixel, out_row);
    }
}

const struct SL_NAME(sl_conv, ) KERNEL = {
    .name = SL_TEXT(KERNEL),
    .needs = NEEDS,
    .fits = fits,
    .weights_bytes = weights_bytes,
    .pack_weights = pack_weights,
    .workspace_bytes = workspace_bytes,
    .run = run,
};

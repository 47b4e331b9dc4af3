/* kernels/conv/deconv_phase.c: the phases of a transposed convolution.
 *
 * For outputs phase, phase + stride, ... the taps are last, last - step, ...: as k falls by step =
 * stride / g, the input goes on by dilation / g (g: their common divisor). */
#include "kernels/conv/deconv_phase.h"

enum { LONG_ROW = 64 }; /* pixels of a phase that are worth a product of their own */

static size_t common_divisor(size_t a, size_t b)
{
    while (b != 0) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static struct sl_deconv_axis axis_of(size_t phase, size_t out, size_t kernel, size_t stride,
                                     size_t dilation, size_t pad)
{
    size_t g = common_divisor(stride, dilation);
    struct sl_deconv_axis axis = {.outputs = phase < out ? (out - phase + stride - 1) / stride : 0,
                                  .step = stride / g,
                                  .dilation = dilation / g};
    for (size_t k = 0; k < kernel; k++) {
        /* stride * dilation * kernel makes the difference positive and a multiple of stride more */
        if ((phase + pad + stride * dilation * kernel - k * dilation) % stride != 0)
            continue;
        axis.taps++;
        axis.first = k;
    }
    if (axis.taps > 0) {
        int64_t at = (int64_t)(phase + pad) - (int64_t)(axis.first * dilation);
        axis.pad = (size_t)(-(at / (int64_t)stride));
    }
    return axis;
}

struct sl_deconv_phase sl_deconv_phase_of(const struct sl_conv_shape *s, size_t index)
{
    struct sl_deconv_phase p = {.shape = *s};
    p.v =
        axis_of(index / s->stride_w, s->out_h, s->kernel_h, s->stride_h, s->dilation_h, s->pad_top);
    p.h = axis_of(index % s->stride_w, s->out_w, s->kernel_w, s->stride_w, s->dilation_w,
                  s->pad_left);
    p.shape.out_h = p.v.outputs;
    p.shape.out_w = p.h.outputs;
    p.shape.kernel_h = p.v.taps;
    p.shape.kernel_w = p.h.taps;
    p.shape.stride_h = p.shape.stride_w = 1;
    p.shape.dilation_h = p.v.dilation;
    p.shape.dilation_w = p.h.dilation;
    p.shape.pad_top = p.v.pad;
    p.shape.pad_left = p.h.pad;
    if (p.v.taps == 0 || p.h.taps == 0) { /* one tap, always outside: only the bias counts */
        p.shape.kernel_h = p.shape.kernel_w = 1;
        p.shape.pad_top = s->out_h;
    }
    return p;
}

struct sl_deconv_place sl_deconv_place_of(const struct sl_conv_shape *s, bool dense)
{
    size_t columns = (s->out_w + s->stride_w - 1) / s->stride_w;
    bool in_order = s->stride_h == 1 && s->out_w % s->stride_w == 0;
    struct sl_deconv_place place = {.through = dense && !in_order && columns < LONG_ROW};
    if (!place.through)
        return place;
    place.columns = columns;
    place.rows = (s->out_h + s->stride_h - 1) / s->stride_h;
    place.row = columns * s->stride_w * s->groups * s->group_out_c;
    place.elements = place.rows * s->stride_h * place.row;
    return place;
}

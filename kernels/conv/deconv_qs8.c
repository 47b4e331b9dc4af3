/* kernels/conv/deconv_qs8.c: the phases of a transposed convolution.
 *
 * Along one axis, output o meets tap k at input (o + pad - k * dilation) / stride when that is
 * whole. For outputs phase, phase + stride, ... these are the taps last, last - step, ...: as k
 * falls by step = stride / g, the input goes on by dilation / g (g: their common divisor). */
#include "kernels/conv/deconv_qs8.h"

#include <string.h>

struct axis {
    size_t outputs;       /* of this phase */
    size_t taps;          /* may be 0 */
    size_t first, step;   /* the tap of the smallest input, and how far to the next below it */
    size_t dilation, pad; /* of the plain convolution; pad may be negative (wrapped) */
};

static size_t common_divisor(size_t a, size_t b)
{
    while (b != 0) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static struct axis axis_of(size_t phase, size_t out, size_t kernel, size_t stride, size_t dilation,
                           size_t pad)
{
    size_t g = common_divisor(stride, dilation);
    struct axis axis = {.outputs = phase < out ? (out - phase + stride - 1) / stride : 0,
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

struct phase {
    struct axis v, h;
    struct sl_conv_shape shape; /* of the plain convolution */
    size_t bytes;               /* of its packed weights, whole 64 */
};

static struct phase phase_of(const struct sl_conv_qs8 *kernel, const struct sl_conv_shape *s,
                             size_t index)
{
    struct phase p = {.shape = *s};
    p.v =
        axis_of(index / s->stride_w, s->out_h, s->kernel_h, s->stride_h, s->dilation_h, s->pad_top);
    p.h = axis_of(index % s->stride_w, s->out_w, s->kernel_w, s->stride_w, s->dilation_w,
                  s->pad_left);
    p.shape.out_h = p.v.outputs;
    p.shape.out_w = p.h.outputs;
    p.shape.kernel_h = p.v.taps;
    p.shape.kernel_w = p.h.taps;
    if (p.v.taps == 0 || p.h.taps == 0) /* one tap of zeros: only the bias counts */
        p.shape.kernel_h = p.shape.kernel_w = 1;
    p.shape.stride_h = p.shape.stride_w = 1;
    p.shape.dilation_h = p.v.dilation;
    p.shape.dilation_w = p.h.dilation;
    p.shape.pad_top = p.v.pad;
    p.shape.pad_left = p.h.pad;
    p.bytes = (kernel->weights_bytes(&p.shape) + 63) / 64 * 64;
    return p;
}

size_t sl_deconv_qs8_bytes(const struct sl_conv_qs8 *kernel, const struct sl_conv_shape *shape)
{
    size_t bytes = 0;
    for (size_t i = 0; i < shape->stride_h * shape->stride_w; i++)
        bytes += phase_of(kernel, shape, i).bytes;
    return bytes;
}

/* The weights of one phase, its taps in the order of its inputs. */
static void gather(const struct phase *p, const struct sl_conv_shape *s, const int8_t *weights,
                   int8_t *out)
{
    size_t ic = s->group_in_c, channels = s->groups * s->group_out_c;
    if (p->v.taps == 0 || p->h.taps == 0) {
        memset(out, 0, channels * ic);
        return;
    }
    for (size_t o = 0; o < channels; o++)
        for (size_t y = 0; y < p->v.taps; y++)
            for (size_t x = 0; x < p->h.taps; x++, out += ic) {
                size_t ky = p->v.first - y * p->v.step, kx = p->h.first - x * p->h.step;
                memcpy(out, weights + ((o * s->kernel_h + ky) * s->kernel_w + kx) * ic, ic);
            }
}

void sl_deconv_qs8_pack(const struct sl_conv_qs8 *kernel, const struct sl_conv_shape *shape,
                        const int8_t *weights, const struct sl_requant *requant, void *packed,
                        int8_t *scratch)
{
    char *out = packed;
    for (size_t i = 0; i < shape->stride_h * shape->stride_w; i++) {
        struct phase p = phase_of(kernel, shape, i);
        gather(&p, shape, weights, scratch);
        kernel->pack_weights(&p.shape, scratch, requant, out);
        out += p.bytes;
    }
}

size_t sl_deconv_qs8_workspace_bytes(const struct sl_conv_qs8 *kernel,
                                     const struct sl_conv_shape *shape)
{
    size_t most = 0;
    for (size_t i = 0; i < shape->stride_h * shape->stride_w; i++) {
        struct phase p = phase_of(kernel, shape, i);
        if (p.v.outputs == 0 || p.h.outputs == 0)
            continue;
        size_t bytes = kernel->workspace_bytes(&p.shape);
        most = bytes > most ? bytes : most;
    }
    return most;
}

void sl_deconv_qs8_run(const struct sl_conv_qs8 *kernel, const struct sl_conv_qs8_args *args)
{
    const struct sl_conv_shape *s = &args->shape;
    struct sl_conv_qs8_args plain = *args;
    const char *weights = args->weights;
    plain.out_row = args->out_row * s->stride_h;
    plain.out_pixel = args->out_pixel * s->stride_w;
    for (size_t i = 0; i < s->stride_h * s->stride_w; i++) {
        struct phase p = phase_of(kernel, s, i);
        plain.shape = p.shape;
        plain.weights = weights;
        plain.out = args->out + i / s->stride_w * args->out_row + i % s->stride_w * args->out_pixel;
        if (p.v.outputs > 0 && p.h.outputs > 0)
            kernel->run(&plain);
        weights += p.bytes;
    }
}

/* kernels/conv/conv_qs8_scalar.c: portable convolution in int8, pixel by pixel.
 *
 * Packed weights are, group by group, panels of NR output channels, the last padded with zeros: NR
 * biases, NR scales, then [kernel_h][kernel_w][group_in_c][NR] bytes. Inputs are taken less their
 * zero point, so pixels outside add nothing. */
#include <string.h>

#include "kernels/conv/conv_qs8.h"
#include "kernels/cpu/isa.h"

enum { NR = 8 };

struct head {
    int32_t bias[NR];
    float scale[NR];
};

static size_t taps_of(const struct sl_conv_shape *s)
{
    return s->kernel_h * s->kernel_w * s->group_in_c;
}

static size_t panel_bytes(const struct sl_conv_shape *s)
{
    return sizeof(struct head) + NR * taps_of(s);
}

static size_t weights_bytes(const struct sl_conv_shape *s)
{
    return s->groups * ((s->group_out_c + NR - 1) / NR) * panel_bytes(s);
}

static void pack_weights(const struct sl_conv_shape *s, const int8_t *weights,
                         const struct sl_requant *requant, void *packed)
{
    uint8_t *panel = packed;
    size_t taps = taps_of(s);
    memset(packed, 0, weights_bytes(s));
    for (size_t g = 0; g < s->groups; g++) {
        for (size_t o = 0; o < s->group_out_c; o++) {
            if (o > 0 && o % NR == 0)
                panel += panel_bytes(s);
            struct head *head = (struct head *)(void *)panel;
            size_t c = g * s->group_out_c + o;
            head->bias[o % NR] = requant->bias ? requant->bias[c] : 0;
            head->scale[o % NR] = requant->scale[c];
            for (size_t t = 0; t < taps; t++)
                ((int8_t *)(head + 1))[t * NR + o % NR] = weights[c * taps + t];
        }
        panel += panel_bytes(s);
    }
}

static size_t workspace_bytes(const struct sl_conv_shape *shape)
{
    (void)shape;
    return 0;
}

/* NR channels of one output pixel. `in` is the image at the group's first channel. */
static void pixel(const struct sl_conv_qs8_args *args, const int8_t *in, size_t oy, size_t ox,
                  const struct head *head, uint32_t *acc)
{
    const struct sl_conv_shape *s = &args->shape;
    const int8_t *w = (const int8_t *)(head + 1);
    size_t channels = s->groups * s->group_in_c;
    for (size_t j = 0; j < NR; j++)
        acc[j] = (uint32_t)head->bias[j];
    for (size_t t = 0; t < s->kernel_h * s->kernel_w; t++, w += s->group_in_c * NR) {
        /* these wrap when outside */
        size_t y = oy * s->stride_h + t / s->kernel_w * s->dilation_h - s->pad_top;
        size_t x = ox * s->stride_w + t % s->kernel_w * s->dilation_w - s->pad_left;
        if (y >= s->in_h || x >= s->in_w)
            continue;
        const int8_t *from = in + (y * s->in_w + x) * channels;
        for (size_t i = 0; i < s->group_in_c; i++)
            for (size_t j = 0; j < NR; j++)
                acc[j] += (uint32_t)((from[i] - args->in_zero) * w[i * NR + j]);
    }
}

/* All channels of one output pixel. */
static void channels_of(const struct sl_conv_qs8_args *args, const int8_t *in, size_t oy, size_t ox,
                        int8_t *out)
{
    const struct sl_conv_shape *s = &args->shape;
    const uint8_t *panel = args->weights;
    uint32_t acc[NR];
    for (size_t g = 0; g < s->groups; g++, in += s->group_in_c) {
        for (size_t o = 0; o < s->group_out_c; o += NR, panel += panel_bytes(s)) {
            const struct head *head = (const struct head *)(const void *)panel;
            pixel(args, in, oy, ox, head, acc);
            for (size_t j = 0; j < NR && o + j < s->group_out_c; j++)
                *out++ = sl_requant((int32_t)acc[j], head->scale[j], args->out_quant);
        }
    }
}

static void run(const struct sl_conv_qs8_args *args)
{
    const struct sl_conv_shape *s = &args->shape;
    for (size_t n = 0; n < s->batch; n++) {
        const int8_t *in = args->in + n * s->in_h * s->in_w * s->groups * s->group_in_c;
        for (size_t oy = 0; oy < s->out_h; oy++)
            for (size_t ox = 0; ox < s->out_w; ox++)
                channels_of(args, in, oy, ox,
                            args->out + n * args->out_image + oy * args->out_row +
                                ox * args->out_pixel);
    }
}

const struct sl_conv_qs8 sl_conv_qs8_qs8_qs8p8x1_1x8_scalar = {
    .name = "sl_conv_qs8_qs8_qs8p8x1_1x8_scalar",
    .needs = SL_ISA_NONE,
    .weights_bytes = weights_bytes,
    .pack_weights = pack_weights,
    .workspace_bytes = workspace_bytes,
    .run = run,
};

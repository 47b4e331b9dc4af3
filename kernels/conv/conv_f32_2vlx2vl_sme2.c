/* kernels/conv/conv_f32_2vlx2vl_sme2.c: f32 convolution by outer products, SME2. */
#include "kernels/conv/conv.h"
#include "kernels/pack/pack_rhs_f32.h"

#define SL_TYPE f32
#define KERNEL sl_conv_f32_f32p1vlx1_f32p2vlx1_2vlx2vl_sme2_mopa
static void turn_packed(const struct sl_conv_shape *s, const void *from, void *to);
#define TURN_PACKED turn_packed
#include "kernels/conv/conv_2vlx2vl_sme2.inc"

static void pack_weights(const struct sl_conv_shape *s, const void *weights_in, const void *bias_in,
                         void *packed)
{
    const float *weights = weights_in, *bias = bias_in;
    size_t k = s->kernel_h * s->kernel_w * s->group_in_c, n = s->group_out_c;
    float *out = packed;
    for (size_t g = 0; g < s->groups; g++) {
        const struct sl_pack_rhs_f32 job = {
            n, k, weights + g * n * k, false, bias ? bias + g * n : NULL, 2, 1, out};
        sl_pack_rhs_f32_sme2(&job);
        out += sl_mopa_f32_rhs_floats(n, k, svcntsw());
    }
}

struct turn {
    size_t groups, columns, channels, taps;
    const float *from;
    float *to;
};

/* The rows of a tap after each other where those of a channel were. */
static void turn_panel(size_t taps, size_t channels, const float *from, float *to,
                       size_t width) __arm_streaming
{
    const svcount_t some = svwhilelt_c32_u64(0, width, 2);
    const size_t step = taps * width;
    svst1_f32_x2(some, to, svld1_f32_x2(some, from));
    for (size_t t = 0; t < taps; t++) {
        const float *row = from += width;
#pragma clang loop unroll_count(4)
        for (size_t i = 0; i < channels; i++, row += step)
            svst1_f32_x2(some, to += width, svld1_f32_x2(some, row));
    }
}

static void turn_panels(const void *args) __arm_streaming
{
    const struct turn *turn = args;
    const float *in = turn->from;
    float *out = turn->to;
    size_t vl = svcntw(), rows = turn->taps * turn->channels + 1;
    for (size_t g = 0; g < turn->groups; g++)
        for (size_t j = 0; j < turn->columns; j += 2 * vl) {
            size_t width = turn->columns - j > vl ? 2 * vl : vl;
            turn_panel(turn->taps, turn->channels, in, out, width);
            in += rows * width;
            out += rows * width;
        }
}

static void turn_packed(const struct sl_conv_shape *s, const void *from, void *to)
{
    const struct turn turn = {
        s->groups, s->group_out_c, s->group_in_c, s->kernel_h * s->kernel_w, from, to};
    sl_streaming_run(turn_panels, &turn);
}

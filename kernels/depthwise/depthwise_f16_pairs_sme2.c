/* kernels/depthwise/depthwise_f16_pairs_sme2.c: depthwise convolution of halves, 5x5 at stride 1
 * and 2 and 7x7 at stride 1, SME2: pairs of vectors of channels by pairs of output columns. */
#include <arm_sme.h>

#include "kernels/cpu/half.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/depthwise/depthwise.h"
#include "kernels/depthwise/depthwise_pack.h"
#include "kernels/depthwise/depthwise_window.h"

/* FIRST_ROWS of a window are multiplied first: as many as the registers of a column hold.
 * PAIR_5X5S2 is block_vectors() of it. */
enum { BIASES = 4, ROWS = 4, FIRST_ROWS = 5, PAIR_5X5S2 = 104 };

/* At most half a window of padding above and below; 8 groups of ZA are in use. */
static bool is_square(const struct sl_depthwise_shape *s, size_t kernel, size_t stride)
{
    return s->kernel_h == kernel && s->kernel_w == kernel && s->multiplier == 1 &&
           s->dilation_h == 1 && s->dilation_w == 1 && s->stride_h == stride &&
           s->stride_w == stride && s->pad_top <= kernel / 2 && s->out_h > 0 && s->out_w > 0 &&
           (s->out_h - 1) * stride + kernel <= s->in_h + s->pad_top + kernel / 2 && svcntsw() >= 8;
}

/* Vectors of weights that an input column of a block takes: of so many columns of the kernel, in
 * whole loads. */
static size_t column_vectors(const struct sl_depthwise_shape *s, size_t count)
{
    size_t first = 2 * FIRST_ROWS * count, others = 2 * s->kernel_h * count - first;
    return (s->stride_w == 2 && s->kernel_h == 5 ? first : (first + 3) / 4 * 4) + others;
}

/* True if input column `j` of a block of two outputs lies in the window of output `o`. */
static bool meets(const struct sl_depthwise_shape *s, size_t j, size_t o)
{
    return j >= o * s->stride_w && j - o * s->stride_w < s->kernel_w;
}

static size_t block_vectors(const struct sl_depthwise_shape *s)
{
    size_t vectors = BIASES;
    for (size_t j = 0; j < s->kernel_w + s->stride_w; j++)
        vectors += column_vectors(s, (size_t)meets(s, j, 0) + (size_t)meets(s, j, 1));
    return vectors;
}

static size_t weights_bytes(const struct sl_depthwise_shape *s)
{
    size_t vl = svcntsw(), channels = 4 * vl;
    return (s->channels + channels - 1) / channels * block_vectors(s) * vl * sizeof(float);
}

/* Rows `from` to `end` of a column of the kernel, first vector of channels before the second; 5x5
 * at stride 2 has both side by side. */
static uint16_t *pack_column(const struct sl_depthwise_shape *s, const uint16_t *weights, size_t kx,
                             size_t from, size_t end, size_t c, uint16_t *out)
{
    size_t vl = svcntsw(), side_by_side = s->kernel_h == 5 && s->stride_w == 2, rows = end - from;
    for (size_t i = 0; i < 2 * rows; i++) {
        size_t ky = from + (side_by_side ? i / 2 : i % rows);
        size_t second = side_by_side ? i % 2 : i / rows;
        out = sl_depthwise_put(weights + (ky * s->kernel_w + kx) * s->channels, sizeof(*weights),
                               c + second * 2 * vl, s->channels, 2 * vl, out);
    }
    return out;
}

/* The columns of the kernel that input column `j` of a block meets. */
static uint16_t *pack_columns(const struct sl_depthwise_shape *s, const uint16_t *weights, size_t j,
                              size_t c, uint16_t *out)
{
    size_t first = FIRST_ROWS, met = (size_t)meets(s, j, 0) + (size_t)meets(s, j, 1);
    size_t others = 2 * (s->kernel_h - first) * met;
    uint16_t *end = out + (column_vectors(s, met) - others) * 2 * svcntsw();
    for (size_t o = 0; o < 2; o++)
        if (meets(s, j, o))
            out = pack_column(s, weights, j - o * s->stride_w, 0, first, c, out);
    while (out < end)
        *out++ = 0;
    for (size_t o = 0; o < 2; o++)
        if (meets(s, j, o) && others > 0)
            out = pack_column(s, weights, j - o * s->stride_w, first, s->kernel_h, c, out);
    return out;
}

/* Channels of a last vector alone from c on, if there is a kernel for it. */
static bool is_lone(const struct sl_depthwise_shape *s, size_t c)
{
    return s->kernel_h == 5 && s->stride_w == 2 && s->channels - c <= 2 * svcntsw();
}

/* The columns of the kernel that input column `j` of such a block meets, each and a vector unused.
 */
static uint16_t *pack_lone(const struct sl_depthwise_shape *s, const uint16_t *weights, size_t j,
                           size_t c, uint16_t *out)
{
    for (size_t o = 0; o < 2; o++) {
        if (!meets(s, j, o))
            continue;
        const uint16_t *taps = weights + (j - o * s->stride_w) * s->channels;
        for (size_t ky = 0; ky < 6; ky++)
            out = sl_depthwise_put(ky < 5 ? taps + ky * 5 * s->channels : NULL, sizeof(*weights), c,
                                   s->channels, 2 * svcntsw(), out);
    }
    return out;
}

/* Biases are floats: of even channels of the first vector, of its odd ones, of the second likewise;
 * of a vector alone twice. */
static void *pack_bias(const struct sl_depthwise_shape *s, const uint16_t *bias, size_t c,
                       float *out)
{
    size_t vl = svcntsw(), second = is_lone(s, c) ? 0 : 2 * vl;
    for (size_t i = 0; i < BIASES * vl; i++) {
        size_t at = c + i / (2 * vl) * second + 2 * (i % vl) + i / vl % 2;
        *out++ = bias && at < s->channels ? sl_half_to_float(bias[at]) : 0;
    }
    return out;
}

static void pack_weights(const struct sl_depthwise_shape *s, const void *weights_in,
                         const void *bias_in, void *packed)
{
    const uint16_t *weights = weights_in, *bias = bias_in;
    size_t vl = svcntsw();
    for (size_t c = 0; c < s->channels; c += 4 * vl) {
        uint16_t *out = pack_bias(s, bias, c, packed);
        bool lone = is_lone(s, c);
        for (size_t j = 0; j < s->kernel_w + s->stride_w; j++)
            out = lone ? pack_lone(s, weights, j, c, out) : pack_columns(s, weights, j, c, out);
        packed = out;
    }
}

static size_t workspace_bytes(const struct sl_depthwise_shape *shape)
{
    (void)shape;
    return 0;
}

static struct sl_depthwise_f16_window columns_of(const struct sl_depthwise_args *args)
{
    const struct sl_depthwise_shape *s = &args->shape;
    size_t across = s->kernel_w + s->stride_w;
    return (struct sl_depthwise_f16_window){
        .in_row_bytes = (int64_t)(s->in_w * s->channels * sizeof(uint16_t)),
        .out_row_bytes = (int64_t)(s->out_w * s->channels * sizeof(uint16_t)),
        .weights = args->weights,
        .channels = s->channels,
        .pad_left = s->pad_left,
        .in_w = s->in_w,
        .out_w = s->out_w,
        .min = sl_half_from_float(args->min),
        .max = sl_half_from_float(args->max),
        .inside = s->in_w >= across ? s->in_w - across + 1 : 0,
        .end = s->channels,
    };
}

struct strips {
    const struct sl_depthwise_args *args;
    struct sl_depthwise_f16_window window;
    sl_depthwise_f16_window_fn *run;
};

static void
run_5x5s2(const struct sl_depthwise_f16_window *window) __arm_streaming __arm_inout("za")
{
    struct sl_depthwise_f16_window w = *window;
    size_t pair = 2 * svcnth(), rest = w.channels % pair;
    if (rest == 0 || rest > svcnth()) {
        sl_depthwise_f16_5x5s2_pairs_sme2_asm(&w);
        return;
    }
    w.end = w.channels - rest;
    if (w.end > 0)
        sl_depthwise_f16_5x5s2_pairs_sme2_asm(&w);
    w.first = w.end;
    w.weights = (const float *)w.weights + w.end / pair * PAIR_5X5S2 * svcntw();
    sl_depthwise_f16_5x5s2_lone_sme2_asm(&w);
}

/* Strips of the rows of all images, none of two images. */
static void run_body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct strips *strips = pointer;
    const struct sl_depthwise_args *args = strips->args;
    const struct sl_depthwise_shape *s = &args->shape;
    struct sl_depthwise_f16_window w = strips->window;
    for (size_t n = 0; n < s->batch; n++) {
        for (size_t y = 0; y < s->out_h; y += w.rows) {
            int64_t top = (int64_t)(y * s->stride_h) - (int64_t)s->pad_top;
            w.rows = s->out_h - y < ROWS ? s->out_h - y : ROWS;
            int64_t end = top + (int64_t)((w.rows - 1) * s->stride_h + s->kernel_h);
            w.top = top < 0 ? (uint32_t)-top : 0;
            w.bottom = end > (int64_t)s->in_h ? (uint32_t)(end - (int64_t)s->in_h) : 0;
            w.in = (const uint16_t *)args->in +
                   ((int64_t)(n * s->in_h) + top) * (int64_t)(s->in_w * s->channels);
            w.out = (uint16_t *)args->out + (n * s->out_h + y) * s->out_w * s->channels;
            strips->run(&w);
        }
    }
}

#define SL_DEPTHWISE_PAIRS(size, stride, run_strip)                                                \
    static bool fits_##size##stride(const struct sl_depthwise_shape *shape)                        \
    {                                                                                              \
        return is_square(shape, size, stride);                                                     \
    }                                                                                              \
    static void run_##size##stride(const struct sl_depthwise_args *args)                           \
    {                                                                                              \
        struct strips strips = {args, columns_of(args), run_strip};                                \
        if (args->shape.channels > 0)                                                              \
            sl_streaming_run_za(run_body, &strips);                                                \
    }                                                                                              \
    const struct sl_depthwise sl_depthwise_f16_f16_f16p4vl_##size##x##size##s##stride##_sme2_mla = \
        {                                                                                          \
            .name = "sl_depthwise_f16_f16_f16p4vl_" #size "x" #size "s" #stride "_sme2_mla",       \
            .needs = SL_ISA_SME2,                                                                  \
            .element = SL_F16,                                                                     \
            .fits = fits_##size##stride,                                                           \
            .weights_bytes = weights_bytes,                                                        \
            .pack_weights = pack_weights,                                                          \
            .workspace_bytes = workspace_bytes,                                                    \
            .run = run_##size##stride,                                                             \
    };

SL_DEPTHWISE_PAIRS(5, 1, sl_depthwise_f16_5x5s1_pairs_sme2_asm)
SL_DEPTHWISE_PAIRS(5, 2, run_5x5s2)
SL_DEPTHWISE_PAIRS(7, 1, sl_depthwise_f16_7x7s1_pairs_sme2_asm)

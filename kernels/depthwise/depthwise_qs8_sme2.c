/* kernels/depthwise/depthwise_qs8_sme2.c: int8 depthwise convolution, any window, SME2: the bytes
 * of a vector of channels of four output rows times a tap are one SMLALL into ZA.
 *
 * The image is padded once by the input's zero point. Four rows of one output column are a turn; ZA
 * holds their sums in rows of four array vectors, in which channel 4 i + j is word i of vector j.
 */
#include <arm_sme.h>
#include <arm_sve.h>
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/depthwise/depthwise_columns.h"
#include "kernels/depthwise/depthwise_qs8_plan.h"

enum { ROWS = 4 };

/* Packed weights: for each vector of channels the starts of the sums and the scales, as ZA has
 * them, then the taps row by row; padded with zeros. */
static size_t block_bytes(const struct sl_depthwise_shape *s) __arm_streaming_compatible
{
    return svcntsb() * (8 + s->kernel_h * s->kernel_w);
}

static bool fits(const struct sl_depthwise_shape *shape)
{
    return shape->multiplier == 1;
}

static size_t weights_bytes(const struct sl_depthwise_shape *s)
{
    return (s->channels + svcntsb() - 1) / svcntsb() * block_bytes(s);
}

static void pack_weights(const struct sl_depthwise_shape *s, const int8_t *weights,
                         const struct sl_requant *requant, void *packed)
{
    size_t lanes = svcntsb(), taps = s->kernel_h * s->kernel_w;
    memset(packed, 0, weights_bytes(s));
    for (size_t c = 0; c < s->channels; c++) {
        int32_t *start = (int32_t *)((char *)packed + c / lanes * block_bytes(s));
        float *scale = (float *)(start + lanes);
        int8_t *tap = (int8_t *)(scale + lanes);
        size_t lane = c % lanes, at = lane % 4 * (lanes / 4) + lane / 4;
        int32_t sum = 0;
        for (size_t t = 0; t < taps; t++) {
            tap[t * lanes + lane] = weights[t * s->channels + c];
            sum += weights[t * s->channels + c];
        }
        start[at] = sl_requant_start(requant, c, sum);
        scale[at] = requant->scale[c];
    }
}

static size_t workspace_bytes(const struct sl_depthwise_shape *s)
{
    if (s->out_h == 0 || s->out_w == 0)
        return 0;
    struct sl_depthwise_plan plan = sl_depthwise_plan_of(s);
    return plan.in_place ? 0 : plan.height * plan.width * s->channels;
}

static inline void put(int8_t *out, const int8_t *in, size_t count,
                       svint8_t zero) __arm_streaming __arm_inout("za")
{
    for (size_t i = 0; i < count; i += 4 * svcntb()) {
        svcount_t some = svwhilelt_c8_u64(i, count, 4);
        svst1_s8_x4(some, out + i,
                    in ? svld1_s8_x4(some, in + i) : svcreate4_s8(zero, zero, zero, zero));
    }
}

static void pad_image(const struct sl_depthwise_qs8_args *args,
                      const struct sl_depthwise_plan *plan,
                      const int8_t *in) __arm_streaming __arm_inout("za")
{
    const struct sl_depthwise_shape *s = &args->shape;
    int8_t *out = args->workspace;
    size_t line = plan->width * s->channels;
    size_t left = plan->left, inner = plan->inner;
    svint8_t zero = svdup_s8(args->in_zero);
    for (size_t y = 0; y < plan->height; y++, out += line) {
        size_t from = y - plan->top; /* wraps when outside */
        if (from >= s->in_h) {
            put(out, NULL, line, zero);
            continue;
        }
        put(out, NULL, left * s->channels, zero);
        put(out + left * s->channels, in + from * s->in_w * s->channels, inner * s->channels, zero);
        put(out + (left + inner) * s->channels, NULL, line - (left + inner) * s->channels, zero);
    }
}

/* Rows oy .. of one image, all channels. */
static void strip_of(const struct sl_depthwise_qs8_args *args, const struct sl_depthwise_plan *plan,
                     const int8_t *image, size_t oy, int8_t *out) __arm_streaming __arm_inout("za")
{
    const struct sl_depthwise_shape *s = &args->shape;
    struct sl_requant_out quant = args->out_quant;
    size_t line = plan->width * s->channels, lanes = svcntb();
    size_t out_line = s->out_w * s->channels;
    bool nine = s->kernel_h == 3 && s->kernel_w == 3;
    bool is_3x3 = nine && s->stride_h == 1 && s->dilation_h == 1;
    struct sl_depthwise_columns job = {.down = s->dilation_h * line,
                                       .across = s->dilation_w * s->channels,
                                       .column = s->stride_w * s->channels,
                                       .weights = args->weights,
                                       .outputs = s->out_w,
                                       .out_column = s->channels,
                                       .stored = s->out_h - oy < ROWS ? s->out_h - oy : ROWS,
                                       .kernel_h = s->kernel_h,
                                       .kernel_w = s->kernel_w,
                                       .min = quant.min - quant.zero,
                                       .max = quant.max - quant.zero,
                                       .zero = quant.zero};
    size_t last = is_3x3 ? job.stored + 1 : job.stored - 1; /* row there is */
    for (size_t row = 0; row < ROWS + 2; row++)
        job.rows[row] = image + (oy + (row < last ? row : last)) * s->stride_h * line;
    for (size_t row = 0; row < ROWS; row++)
        job.out[row] = out + (oy + row) * out_line;
    for (size_t c = 0; c < s->channels; c += lanes) {
        job.channels = s->channels - c;
        if (is_3x3)
            sl_depthwise_qs8_3x3_sme2_asm(&job);
        else if (nine)
            sl_depthwise_qs8_9_sme2_asm(&job);
        else
            sl_depthwise_qs8_any_sme2_asm(&job);
        for (size_t row = 0; row < ROWS + 2; row++)
            job.rows[row] += lanes;
        for (size_t row = 0; row < ROWS; row++)
            job.out[row] += lanes;
        job.weights = (const char *)job.weights + block_bytes(s);
    }
}

static void run_body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct sl_depthwise_qs8_args *args = pointer;
    const struct sl_depthwise_shape *s = &args->shape;
    struct sl_depthwise_plan plan = sl_depthwise_plan_of(s);
    for (size_t b = 0; b < s->batch; b++) {
        const int8_t *image = args->in + b * s->in_h * s->in_w * s->channels;
        int8_t *out = args->out + b * s->out_h * s->out_w * s->channels;
        if (!plan.in_place) {
            pad_image(args, &plan, image);
            image = args->workspace;
        }
        for (size_t oy = 0; oy < s->out_h; oy += ROWS)
            strip_of(args, &plan, image, oy, out);
    }
}

static void run(const struct sl_depthwise_qs8_args *args)
{
    if (args->shape.out_h > 0 && args->shape.out_w > 0 && args->shape.channels > 0)
        sl_streaming_run_za(run_body, args);
}

const struct sl_depthwise_qs8 sl_depthwise_qs8_qs8_qs8p4vl_4x1_sme2_mlall = {
    .name = "sl_depthwise_qs8_qs8_qs8p4vl_4x1_sme2_mlall",
    .needs = SL_ISA_SME2,
    .fits = fits,
    .weights_bytes = weights_bytes,
    .pack_weights = pack_weights,
    .workspace_bytes = workspace_bytes,
    .run = run,
};

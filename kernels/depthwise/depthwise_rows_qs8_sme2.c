/* kernels/depthwise/depthwise_rows_qs8_sme2.c: int8 depthwise convolution of few channels, SME2. */
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/depthwise/depthwise_qs8.h"
#include "kernels/depthwise/depthwise_rows_sme2.h"

/* Instructions of a strip, as counted, against those of four rows of a column of a vector of
 * channels. */
static bool fits(const struct sl_depthwise_shape *s)
{
    if (!rows_take(s, 1, 2))
        return false;
    size_t lanes = svcntsb(), strips = (s->out_w * s->channels + 4 * lanes - 1) / (4 * lanes);
    size_t taps = s->kernel_h * s->kernel_w;
    size_t copied =
        s->stride_w == 1           ? 30 + (s->in_w * s->channels + 4 * lanes - 1) / (4 * lanes) * 4
        : rows_dealer(s->channels) ? (20 + s->in_w * s->channels / (8 * lanes) * 12) * s->stride_h
                                   : s->in_w * 4 * s->stride_h;
    size_t columns = (s->channels + lanes - 1) / lanes * s->out_w;
    size_t column = taps == 25 ? 90 : s->stride_h == 1 ? 26 : 38;
    return strips * (74 + 3 * taps) + copied < columns * column;
}

static size_t block_bytes(const struct sl_depthwise_shape *s) __arm_streaming_compatible
{
    return 4 * svcntsb() * (8 + s->kernel_h * s->kernel_w);
}

static size_t weights_bytes(const struct sl_depthwise_shape *s)
{
    return rows_strips(s->channels, 4 * svcntsb()) * block_bytes(s);
}

/* Writes the start and scale of a channel's sums for each of its lanes: those of lane l of vector v
 * of a strip are in array vectors 4 v + l % 4. */
static void pack_channel(const struct sl_depthwise_shape *s, const int8_t *weights,
                         const struct sl_requant *requant, size_t c, size_t first_lane,
                         int32_t *starts, float *scales)
{
    size_t lanes = 4 * svcntsb(), vl = svcntsw(), taps = s->kernel_h * s->kernel_w;
    int32_t sum = 0;
    for (size_t t = 0; t < taps; t++)
        sum += weights[t * s->channels + c];
    int32_t start = sl_requant_start(requant, c, sum);
    for (size_t lane = first_lane; lane < lanes; lane += s->channels) {
        size_t at = lane / (4 * vl) * 4 * vl + lane % 4 * vl + lane % (4 * vl) / 4;
        starts[at] = start;
        scales[at] = requant->scale[c];
    }
}

static void pack_strip(const struct sl_depthwise_shape *s, const int8_t *weights,
                       const struct sl_requant *requant, size_t first, char *packed)
{
    size_t lanes = 4 * svcntsb(), channels = s->channels, taps = s->kernel_h * s->kernel_w;
    int32_t *starts = (int32_t *)(void *)packed;
    float *scales = (float *)(void *)(packed + (4 + taps) * lanes);
    char *to = packed + 4 * lanes;
    for (size_t kx = 0; kx < s->kernel_w; kx++)
        for (size_t ky = 0; ky < s->kernel_h; ky++, to += lanes)
            rows_repeat(weights + (ky * s->kernel_w + kx) * channels, channels, first, lanes, to);
    for (size_t c = 0; c < channels; c++)
        pack_channel(s, weights, requant, c, (c + channels - first % channels) % channels, starts,
                     scales);
}

static void pack_weights(const struct sl_depthwise_shape *s, const int8_t *weights,
                         const struct sl_requant *requant, void *packed)
{
    size_t lanes = 4 * svcntsb(), strips = rows_strips(s->channels, lanes);
    for (size_t i = 0; i < strips; i++)
        pack_strip(s, weights, requant, i * lanes, (char *)packed + i * block_bytes(s));
}

static size_t workspace_bytes(const struct sl_depthwise_shape *shape)
{
    return rows_workspace(shape, 1, 1);
}

static void run_body(const void *pointer) ROWS_MODE
{
    const struct sl_depthwise_qs8_args *args = pointer;
    struct sl_requant_out quant = args->out_quant;
    struct sl_depthwise_rows job = {
        .out = args->out,
        .weights = args->weights,
        .bounds = {quant.min - quant.zero, quant.max - quant.zero, quant.zero},
    };
    rows_run(&args->shape, 1, 1, args->in, args->workspace, (uint8_t)args->in_zero, &job,
             args->shape.kernel_h == 3 ? sl_depthwise_rows_qs8_3x3_sme2_asm
                                       : sl_depthwise_rows_qs8_5x5_sme2_asm);
}

static void run(const struct sl_depthwise_qs8_args *args)
{
    sl_streaming_run_za(run_body, args);
}

const struct sl_depthwise_qs8 sl_depthwise_qs8_qs8_qs8p16vl_1x16vl_sme2_mlall = {
    .name = "sl_depthwise_qs8_qs8_qs8p16vl_1x16vl_sme2_mlall",
    .needs = SL_ISA_SME2,
    .fits = fits,
    .weights_bytes = weights_bytes,
    .pack_weights = pack_weights,
    .workspace_bytes = workspace_bytes,
    .run = run,
};

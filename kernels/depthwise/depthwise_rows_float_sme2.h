/* kernels/depthwise/depthwise_rows_float_sme2.h: depthwise convolution of few channels at stride 1,
 * and 3x3 at stride 2, SME2, of the type that the including file names (kernels/cpu/element.h), the
 * kernel KERNEL. That file defines LEAST_VL, words of the shortest vector, and takes_less(),
 * whether other kernels need more instructions: `strips` of four rows of output here, `copied` what
 * the copy of their input takes. */
#pragma once

#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/depthwise/depthwise_rows_sme2.h"

enum { ROWS = 4 };

static bool takes_less(const struct sl_depthwise_shape *s, size_t strips, size_t copied);

static bool fits(const struct sl_depthwise_shape *s)
{
    size_t lanes = 4 * svcntsb() / sizeof(SL_ELEMENT), pixel = s->channels * sizeof(SL_ELEMENT);
    bool strided = s->stride_w == 2;
    if (svcntsw() < LEAST_VL || !rows_take(s, sizeof(SL_ELEMENT), 2) || s->stride_h != s->stride_w)
        return false;
    if (strided && (s->kernel_h != 3 || !rows_dealer(pixel)))
        return false;
    size_t strips = (s->out_w * s->channels + lanes - 1) / lanes;
    size_t copied = (s->in_w * s->channels + lanes - 1) / lanes;
    return takes_less(s, strips, strided ? 8 * (26 + 7 * copied) : 12 * copied);
}

static size_t weights_bytes(const struct sl_depthwise_shape *s)
{
    size_t quad = 4 * svcntsb();
    return rows_strips(s->channels, quad / sizeof(SL_ELEMENT)) * quad *
           (1 + s->kernel_h * s->kernel_w);
}

/* `at` has a value for each channel, or is NULL: zeros. Lanes are those of strip i. */
static SL_ELEMENT *pack_lanes(const SL_ELEMENT *at, size_t channels, size_t i, SL_ELEMENT *out)
{
    size_t bytes = 4 * svcntsb();
    if (at)
        rows_repeat(at, channels * sizeof(*at), i * bytes, bytes, out);
    else
        memset(out, 0, bytes);
    return out + bytes / sizeof(*out);
}

static void pack_weights(const struct sl_depthwise_shape *s, const SL_ELEMENT *weights,
                         const SL_ELEMENT *bias, void *packed)
{
    size_t channels = s->channels, lanes = 4 * svcntsb() / sizeof(SL_ELEMENT);
    SL_ELEMENT *out = packed;
    for (size_t i = 0; i < rows_strips(channels, lanes); i++) {
        out = pack_lanes(bias, channels, i, out);
        for (size_t kx = 0; kx < s->kernel_w; kx++)
            for (size_t ky = 0; ky < s->kernel_h; ky++)
                out = pack_lanes(weights + (ky * s->kernel_w + kx) * channels, channels, i, out);
    }
}

static size_t workspace_bytes(const struct sl_depthwise_shape *shape)
{
    return rows_workspace(shape, sizeof(SL_ELEMENT), ROWS);
}

static void run_body(const void *pointer) ROWS_MODE
{
    const struct SL_NAME(sl_depthwise, _args) *args = pointer;
    struct sl_depthwise_rows job = {
        .out = args->out, .weights = args->weights, .min = args->min, .max = args->max};
    sl_depthwise_rows_fn *run = args->shape.kernel_h == 3
                                    ? SL_TYPE_NAME(sl_depthwise_rows, _3x3_sme2_asm)
                                    : SL_TYPE_NAME(sl_depthwise_rows, _5x5_sme2_asm);
    if (args->shape.stride_w == 2)
        run = SL_TYPE_NAME(sl_depthwise_rows, _3x3s2_sme2_asm);
    rows_run(&args->shape, sizeof(SL_ELEMENT), ROWS, args->in, args->workspace, 0, &job, run);
}

static void run(const struct SL_NAME(sl_depthwise, _args) * args)
{
    sl_streaming_run_za(run_body, args);
}

const struct SL_NAME(sl_depthwise, ) KERNEL = {
    .name = SL_TEXT(KERNEL),
    .needs = SL_ISA_SME2,
    .fits = fits,
    .weights_bytes = weights_bytes,
    .pack_weights = pack_weights,
    .workspace_bytes = workspace_bytes,
    .run = run,
};

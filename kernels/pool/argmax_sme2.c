/* kernels/pool/argmax_sme2.c: pooling with places in streaming mode, a vector of channels at a
 * time. */
#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/pool/argmax.h"

/* A vector of channels of one window: what is larger than the best so far is taken, or the first
 * NaN, and then no other. */
static void channels_of(svbool_t some, const struct sl_argmax_args *args, const float *in,
                        float *out, int32_t *index) __arm_streaming
{
    size_t step = args->channels, line = args->out_w * args->kernel_w * step;
    svfloat32_t best = svld1_f32(some, in);
    svint32_t places = svdup_s32(0);
    int32_t place = 0;
    for (size_t ky = args->kernel_h; ky > 0; ky--, in += line) {
        const float *tap = in;
        for (size_t kx = args->kernel_w; kx > 0; kx--, tap += step, place++) {
            svfloat32_t x = svld1_f32(some, tap);
            svbool_t keeps =
                svorr_b_z(some, svcmple_f32(some, x, best), svcmpuo_f32(some, best, best));
            best = svsel_f32(keeps, best, x);
            places = svsel_s32(keeps, places, svdup_s32(place));
        }
    }
    svst1_f32(some, out, best);
    svst1_s32(some, index, places);
}

static void body(const void *pointer) __arm_streaming
{
    const struct sl_argmax_args *args = pointer;
    size_t channels = args->channels, line = args->out_w * args->kernel_w * channels, at = 0;
    for (size_t oy = 0; oy < args->batch * args->out_h; oy++)
        for (size_t ox = 0; ox < args->out_w; ox++, at += channels) {
            const float *in =
                args->in + oy * args->kernel_h * line + ox * args->kernel_w * channels;
            for (size_t c = 0; c < channels; c += svcntw())
                channels_of(svwhilelt_b32_u64(c, channels), args, in + c, args->out + at + c,
                            args->index + at + c);
        }
}

static void run(const struct sl_argmax_args *args)
{
    sl_streaming_run(body, args);
}

const struct sl_argmax sl_argmax_f32_f32_1x1vl_sme2 = {
    .name = "sl_argmax_f32_f32_1x1vl_sme2",
    .needs = SL_ISA_SME2,
    .run = run,
};

/* kernels/pool/argmax_neon.c: pooling with places, 16 channels at a time. */
#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/pool/argmax.h"

enum { VECTORS = 4 };

/* Takes what is larger than the best so far, or the first NaN: then the best is none other. */
SL_INLINE void take(float32x4_t x, uint32x4_t place, float32x4_t *best, uint32x4_t *at)
{
    uint32x4_t keeps = vcleq_f32(x, *best); /* false with a NaN on either side */
    uint32x4_t is_nan = vmvnq_u32(vceqq_f32(*best, *best));
    keeps = vorrq_u32(keeps, is_nan);
    *best = vbslq_f32(keeps, *best, x);
    *at = vbslq_u32(keeps, *at, place);
}

/* Takes `vectors` vectors of channels of one window, or some lanes of one. */
SL_INLINE void channels_of(size_t vectors, size_t lanes, const struct sl_argmax_args *args,
                           const float *in, float *out, int32_t *index)
{
    size_t step = args->channels, line = args->out_w * args->kernel_w * step;
    float32x4_t best[VECTORS];
    uint32x4_t at[VECTORS], place = vdupq_n_u32(0), one = vdupq_n_u32(1);
    SL_UNROLL
    for (size_t j = 0; j < vectors; j++) {
        best[j] = sl_neon_load(in + 4 * j, lanes);
        at[j] = place;
    }
    for (size_t ky = 0; ky < args->kernel_h; ky++, in += line) {
        const float *tap = in;
        for (size_t kx = args->kernel_w; kx > 0; kx--, tap += step, place = vaddq_u32(place, one)) {
            SL_UNROLL
            for (size_t j = 0; j < vectors; j++)
                take(sl_neon_load(tap + 4 * j, lanes), place, &best[j], &at[j]);
        }
    }
    SL_UNROLL
    for (size_t j = 0; j < vectors; j++) {
        sl_neon_store(out + 4 * j, best[j], lanes);
        sl_neon_store((float *)(void *)(index + 4 * j), vreinterpretq_f32_u32(at[j]), lanes);
    }
}

static void run(const struct sl_argmax_args *args)
{
    size_t channels = args->channels, line = args->out_w * args->kernel_w * channels;
    float *out = args->out;
    int32_t *index = args->index;
    for (size_t oy = 0; oy < args->batch * args->out_h; oy++)
        for (size_t ox = 0; ox < args->out_w; ox++, out += channels, index += channels) {
            const float *in =
                args->in + oy * args->kernel_h * line + ox * args->kernel_w * channels;
            size_t c = 0;
            for (; c + 4 * VECTORS <= channels; c += 4 * VECTORS)
                channels_of(VECTORS, 4, args, in + c, out + c, index + c);
            for (; c + 4 <= channels; c += 4)
                channels_of(1, 4, args, in + c, out + c, index + c);
            if (c < channels)
                channels_of(1, channels - c, args, in + c, out + c, index + c);
        }
}

const struct sl_argmax sl_argmax_f32_f32_1x16_neon = {
    .name = "sl_argmax_f32_f32_1x16_neon",
    .needs = SL_ISA_NEON,
    .run = run,
};

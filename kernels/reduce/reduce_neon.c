/* kernels/reduce/reduce_neon.c: means, 16 or 32 elements at a time. */
#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/reduce/reduce.h"

enum { VECTORS = 8 };

SL_INLINE void add_vectors(size_t vectors, const float *in, float32x4_t acc[4])
{
    SL_UNROLL
    for (size_t j = 0; j < vectors; j++)
        acc[j % 4] = vaddq_f32(acc[j % 4], vld1q_f32(in + 4 * j));
}

SL_INLINE float row_sum(const float *in, size_t count)
{
    float32x4_t acc[4];
    float rest = 0;
    SL_UNROLL
    for (size_t j = 0; j < 4; j++)
        acc[j] = vdupq_n_f32(0);
    for (size_t turns = count / 128; turns > 0; turns--, in += 128) {
        SL_FORGET(in);
        add_vectors(32, in, acc);
    }
    for (count %= 128; count >= 16; count -= 16, in += 16)
        add_vectors(4, in, acc);
    for (; count >= 4; count -= 4, in += 4)
        add_vectors(1, in, acc);
    for (; count > 0; count--, in++)
        rest += *in;
    return vaddvq_f32(vaddq_f32(vaddq_f32(acc[0], acc[1]), vaddq_f32(acc[2], acc[3]))) + rest;
}

/* Means of `vectors` vectors of columns that lie `step` floats apart. */
SL_INLINE void columns(size_t vectors, size_t lanes, const float *in, size_t count, size_t step,
                       float scale, float *out)
{
    float32x4_t acc[VECTORS];
    SL_UNROLL
    for (size_t j = 0; j < vectors; j++)
        acc[j] = vdupq_n_f32(0);
    for (; count > 0; count--, in += step) {
        SL_UNROLL
        for (size_t j = 0; j < vectors; j++)
            acc[j] = vaddq_f32(acc[j], sl_neon_load(in + 4 * j, lanes));
    }
    SL_UNROLL
    for (size_t j = 0; j < vectors; j++)
        sl_neon_store(out + 4 * j, vmulq_n_f32(acc[j], scale), lanes);
}

static void mean(const struct sl_reduce_args *args)
{
    const float *in = args->in;
    float *out = args->out;
    size_t step = args->inner;
    for (size_t o = 0; o < args->outer; o++, in += args->reduced * step, out += step) {
        if (step == 1) {
            *out = row_sum(in, args->reduced) * args->scale;
            continue;
        }
        size_t i = 0;
        for (; i + 4 * VECTORS <= step; i += 4 * VECTORS)
            columns(VECTORS, 4, in + i, args->reduced, step, args->scale, out + i);
        for (; i + 4 <= step; i += 4)
            columns(1, 4, in + i, args->reduced, step, args->scale, out + i);
        if (i < step)
            columns(1, step - i, in + i, args->reduced, step, args->scale, out + i);
    }
}

const struct sl_reduce sl_reduce_mean_f32_f32_1x32_neon = {
    .name = "sl_reduce_mean_f32_f32_1x32_neon",
    .needs = SL_ISA_NEON,
    .element = SL_F32,
    .op = SL_REDUCE_MEAN,
    .run = mean,
};

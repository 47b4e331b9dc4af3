/* kernels/reduce/reduce_neon.c: mean and layer norm, 16 or 32 elements at a time. */
#include <math.h>
#include <stdbool.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/reduce/reduce.h"

enum { VECTORS = 8 };

/* Sum of a row, or of the squared distances from `origin`. */
SL_INLINE float row_sum(bool squares, const float *in, size_t count, float origin)
{
    float32x4_t acc[4], from = vdupq_n_f32(origin);
    float rest = 0;
    SL_UNROLL
    for (size_t j = 0; j < 4; j++)
        acc[j] = vdupq_n_f32(0);
    for (; count >= 16; count -= 16, in += 16) {
        SL_UNROLL
        for (size_t j = 0; j < 4; j++) {
            float32x4_t v = vld1q_f32(in + 4 * j), d = vsubq_f32(v, from);
            acc[j] = squares ? vfmaq_f32(acc[j], d, d) : vaddq_f32(acc[j], v);
        }
    }
    for (; count >= 4; count -= 4, in += 4) {
        float32x4_t v = vld1q_f32(in), d = vsubq_f32(v, from);
        acc[0] = squares ? vfmaq_f32(acc[0], d, d) : vaddq_f32(acc[0], v);
    }
    for (; count > 0; count--, in++)
        rest += squares ? (*in - origin) * (*in - origin) : *in;
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
            *out = row_sum(false, in, args->reduced, 0) * args->scale;
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

/* Some vectors of a row: (x - average) * rstd, then weight and bias where there are. */
SL_INLINE void normalise_vectors(size_t vectors, size_t lanes, bool weighted, bool biased,
                                 const struct sl_reduce_args *args, const float *in, float *out,
                                 size_t i, float32x4_t average, float rstd)
{
    float32x4_t y[VECTORS];
    SL_UNROLL
    for (size_t j = 0; j < vectors; j++) {
        y[j] = vmulq_n_f32(vsubq_f32(sl_neon_load(in + i + 4 * j, lanes), average), rstd);
        if (weighted)
            y[j] = vmulq_f32(y[j], sl_neon_load(args->weight + i + 4 * j, lanes));
        if (biased)
            y[j] = vaddq_f32(y[j], sl_neon_load(args->bias + i + 4 * j, lanes));
    }
    SL_UNROLL
    for (size_t j = 0; j < vectors; j++)
        sl_neon_store(out + i + 4 * j, y[j], lanes);
}

SL_INLINE void normalise(bool weighted, bool biased, const struct sl_reduce_args *args,
                         const float *in, float *out, float average, float rstd)
{
    struct sl_reduce_args a = *args; /* stores cannot change it */
    float32x4_t from = vdupq_n_f32(average);
    size_t i = 0;
    for (; i + 16 <= a.reduced; i += 16)
        normalise_vectors(4, 4, weighted, biased, &a, in, out, i, from, rstd);
    for (; i + 4 <= a.reduced; i += 4)
        normalise_vectors(1, 4, weighted, biased, &a, in, out, i, from, rstd);
    if (i < a.reduced)
        normalise_vectors(1, a.reduced - i, weighted, biased, &a, in, out, i, from, rstd);
}

static void layer_norm(const struct sl_reduce_args *args)
{
    size_t count = args->reduced;
    for (size_t o = 0; o < args->outer; o++) {
        const float *in = args->in + o * count;
        float *out = args->out + o * count;
        float average = row_sum(false, in, count, 0) / (float)count;
        float variance = row_sum(true, in, count, average) / (float)count;
        float rstd = 1 / sqrtf(variance + args->eps);
        if (args->weight && args->bias)
            normalise(true, true, args, in, out, average, rstd);
        else if (!args->weight && !args->bias)
            normalise(false, false, args, in, out, average, rstd);
        else
            normalise(args->weight, args->bias, args, in, out, average, rstd);
        if (args->mean)
            args->mean[o] = average;
        if (args->rstd)
            args->rstd[o] = rstd;
    }
}

const struct sl_reduce sl_reduce_mean_f32_f32_1x32_neon = {
    .name = "sl_reduce_mean_f32_f32_1x32_neon",
    .needs = SL_ISA_NEON,
    .op = SL_REDUCE_MEAN,
    .run = mean,
};

const struct sl_reduce sl_reduce_layer_norm_f32_f32_1x16_neon = {
    .name = "sl_reduce_layer_norm_f32_f32_1x16_neon",
    .needs = SL_ISA_NEON,
    .op = SL_REDUCE_LAYER_NORM,
    .run = layer_norm,
};

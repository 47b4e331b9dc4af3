/* kernels/reduce/reduce_neon.c: mean and layer norm, 16 or 32 elements at a time. */
#include <math.h>
#include <stdbool.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/reduce/reduce.h"

enum { VECTORS = 8 };

/* Adds `vectors` vectors, or their squared distances from `from`, to four sums. */
SL_INLINE void add_vectors(size_t vectors, bool squares, const float *in, float32x4_t from,
                           float32x4_t acc[4])
{
    SL_UNROLL
    for (size_t j = 0; j < vectors; j++) {
        float32x4_t v = vld1q_f32(in + 4 * j), d = vsubq_f32(v, from);
        acc[j % 4] = squares ? vfmaq_f32(acc[j % 4], d, d) : vaddq_f32(acc[j % 4], v);
    }
}

/* Sum of a row, or of the squared distances from `origin`. */
SL_INLINE float row_sum(bool squares, const float *in, size_t count, float origin)
{
    float32x4_t acc[4], from = vdupq_n_f32(origin);
    float rest = 0;
    SL_UNROLL
    for (size_t j = 0; j < 4; j++)
        acc[j] = vdupq_n_f32(0);
    for (size_t turns = count / 128; turns > 0; turns--, in += 128) {
        SL_FORGET(in);
        add_vectors(32, squares, in, from, acc);
    }
    for (count %= 128; count >= 16; count -= 16, in += 16)
        add_vectors(4, squares, in, from, acc);
    for (; count >= 4; count -= 4, in += 4)
        add_vectors(1, squares, in, from, acc);
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

/* What a row of a layer norm keeps in registers; pointers of what is not there are not used. */
struct row {
    const float *in, *weight, *bias;
    float *out;
    float32x4_t average;
    float rstd;
};

/* `vectors` vectors from `first` on: (x - average) * rstd, then weight and bias where there are. */
SL_INLINE void normalise_vectors(size_t first, size_t vectors, size_t lanes, bool weighted,
                                 bool biased, const struct row *r)
{
    float32x4_t y[VECTORS];
    SL_UNROLL
    for (size_t j = 0; j < vectors; j++) {
        size_t i = 4 * (first + j);
        float32x4_t d = vsubq_f32(sl_neon_load(r->in + i, lanes), r->average);
        float32x4_t bias = biased ? sl_neon_load(r->bias + i, lanes) : vdupq_n_f32(0);
        y[j] = vmulq_n_f32(d, r->rstd);
        if (weighted && biased)
            y[j] = vfmaq_f32(bias, y[j], sl_neon_load(r->weight + i, lanes));
        else if (weighted)
            y[j] = vmulq_f32(y[j], sl_neon_load(r->weight + i, lanes));
        else if (biased)
            y[j] = vaddq_f32(y[j], bias);
    }
    SL_UNROLL
    for (size_t j = 0; j < vectors; j++)
        sl_neon_store(r->out + 4 * (first + j), y[j], lanes);
}

SL_INLINE void move_on(size_t elements, struct row *r)
{
    r->in += elements;
    r->weight += elements;
    r->bias += elements;
    r->out += elements;
    SL_FORGET(r->in);
    SL_FORGET(r->weight);
    SL_FORGET(r->bias);
    SL_FORGET(r->out);
}

SL_INLINE void normalise(bool weighted, bool biased, const struct sl_reduce_args *args,
                         const float *in, float *out, float average, float rstd)
{
    size_t count = args->reduced;
    const float *weight = weighted ? args->weight : in, *bias = biased ? args->bias : in;
    struct row r = {in, weight, bias, out, vdupq_n_f32(average), rstd};
    for (size_t turns = count / 64; turns > 0; turns--) {
        SL_UNROLL
        for (size_t first = 0; first < 16; first += 4)
            normalise_vectors(first, 4, 4, weighted, biased, &r);
        move_on(64, &r);
    }
    for (count %= 64; count >= 4; count -= 4) {
        normalise_vectors(0, 1, 4, weighted, biased, &r);
        move_on(4, &r);
    }
    if (count > 0)
        normalise_vectors(0, 1, count, weighted, biased, &r);
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

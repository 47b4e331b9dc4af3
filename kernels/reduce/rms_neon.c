/* kernels/reduce/rms_neon.c: RMS norm of rows, 32 elements of a row at a time. */
#include <math.h>
#include <stdbool.h>

#include "kernels/cpu/isa.h"
#include "kernels/reduce/reduce.h"
#include "kernels/reduce/rows_neon.h"

SL_INLINE void square_quad(const float **in, float32x4_t sum[4])
{
    float32x4x4_t v = load_quad(in);
    SL_UNROLL
    for (size_t j = 0; j < 4; j++)
        sum[j] = vfmaq_f32(sum[j], v.val[j], v.val[j]);
}

static float squares_of(const float *in, size_t count)
{
    float32x4_t none = vdupq_n_f32(0), sum[4] = {none, none, none, none};
    if (count % LANES > 0) {
        uint32x4_t bits = vreinterpretq_u32_f32(load_last(in, count));
        float32x4_t v = vreinterpretq_f32_u32(vandq_u32(bits, last_lanes(count)));
        sum[3] = vmulq_f32(v, v);
    }
    for (size_t turns = count / (2 * QUAD); turns > 0; turns--) {
        square_quad(&in, sum);
        square_quad(&in, sum);
    }
    if (count & QUAD)
        square_quad(&in, sum);
    for (count %= QUAD; count >= LANES; count -= LANES, in += LANES)
        sum[0] = vfmaq_f32(sum[0], vld1q_f32(in), vld1q_f32(in));
    return vaddvq_f32(vaddq_f32(vaddq_f32(sum[0], sum[1]), vaddq_f32(sum[2], sum[3])));
}

struct walk {
    const float *in, *weight;
    float *out;
    float32x4_t rstd;
};

SL_INLINE void scale_quad(bool weighted, struct walk *w)
{
    float32x4x4_t v = load_quad(&w->in), weight = v;
    if (weighted)
        weight = load_quad(&w->weight);
    SL_UNROLL
    for (size_t j = 0; j < 4; j++) {
        v.val[j] = vmulq_f32(v.val[j], w->rstd);
        v.val[j] = weighted ? vmulq_f32(v.val[j], weight.val[j]) : v.val[j];
    }
    store_quad(&w->out, v);
}

SL_INLINE float32x4_t scaled(bool weighted, float32x4_t v, float32x4_t weight, float32x4_t rstd)
{
    v = vmulq_f32(v, rstd);
    return weighted ? vmulq_f32(v, weight) : v;
}

SL_INLINE void scale_row(bool weighted, struct walk w, size_t count)
{
    float32x4_t last = w.rstd, weight = last;
    float *out = w.out;
    if (count % LANES > 0) { /* before `out` is written, which may be `in` */
        weight = weighted ? load_last(w.weight, count) : last;
        last = scaled(weighted, load_last(w.in, count), weight, w.rstd);
    }
    for (size_t turns = count / (2 * QUAD); turns > 0; turns--) {
        scale_quad(weighted, &w);
        scale_quad(weighted, &w);
    }
    if (count & QUAD)
        scale_quad(weighted, &w);
    for (size_t i = 0; i + LANES <= count % QUAD; i += LANES) {
        weight = weighted ? vld1q_f32(w.weight + i) : last;
        vst1q_f32(w.out + i, scaled(weighted, vld1q_f32(w.in + i), weight, w.rstd));
    }
    if (count % LANES > 0)
        store_last(out, count, last);
}

static void rms_norm(const struct sl_reduce_args *args)
{
    size_t count = args->reduced;
    struct walk w = {.in = args->in, .weight = args->weight, .out = args->out};
    for (size_t o = 0; count > 0 && o < args->outer; o++, w.in += count, w.out += count) {
        float rstd = 1 / sqrtf(squares_of(w.in, count) / (float)count + args->eps);
        w.rstd = vdupq_n_f32(rstd);
        if (args->weight)
            scale_row(true, w, count);
        else
            scale_row(false, w, count);
        if (args->rstd)
            ((float *)args->rstd)[o] = rstd;
    }
}

const struct sl_reduce sl_reduce_rms_norm_f32_f32_1x32_neon = {
    .name = "sl_reduce_rms_norm_f32_f32_1x32_neon",
    .needs = SL_ISA_NEON,
    .element = SL_F32,
    .op = SL_REDUCE_RMS_NORM,
    .run = rms_norm,
};

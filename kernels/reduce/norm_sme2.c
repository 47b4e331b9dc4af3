/* kernels/reduce/norm_sme2.c: softmax and layer norm of rows in streaming mode. */
#include <arm_sme.h>
#include <arm_sve.h>
#include <math.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/reduce/reduce.h"
#include "kernels/reduce/row_sum_sme2.h"

#define INLINE static inline __attribute__((always_inline))

/* e^x for x <= 0, within 2 ULP; NaN stays. x = n ln 2 + r, |r| <= ln 2 / 2; the polynomial is a
 * minimax fit of (e^r - 1 - r) / r^2. */
INLINE svfloat32_t exp_of_negative(svfloat32_t x) __arm_streaming
{
    svbool_t all = svptrue_b32();
    x = svmax_n_f32_x(all, x, -104.0f); /* e^-104 is 0 */
    svfloat32_t n = svrintn_f32_x(all, svmul_n_f32_x(all, x, 0x1.715476p0f));
    svfloat32_t r = svmls_n_f32_x(all, x, n, 0x1.62e4p-1f);
    r = svmls_n_f32_x(all, r, n, 0x1.7f7d1cp-20f);
    svfloat32_t q = svmad_n_f32_x(all, svdup_f32(0x1.6a23c8p-10f), r, 0x1.123a2p-7f);
    q = svmad_n_f32_x(all, q, r, 0x1.5558f4p-5f);
    q = svmad_n_f32_x(all, q, r, 0x1.555492p-3f);
    q = svmad_n_f32_x(all, q, r, 0x1.fffffcp-2f);
    svfloat32_t p = svmad_n_f32_x(all, svmad_n_f32_x(all, q, r, 1.0f), r, 1.0f);
    return svscale_f32_x(all, p, svcvt_s32_f32_x(all, n));
}

INLINE float row_max(const float *in, size_t count) __arm_streaming
{
    svbool_t all = svptrue_b32();
    svfloat32_t low = svdup_f32(-INFINITY), most = low;
    svfloat32x4_t quad = svcreate4_f32(low, low, low, low);
    size_t i = 0, step = 4 * svcntw();
    for (; i + step <= count; i += step)
        quad = svmax_f32_x4(quad, svld1_f32_x4(svptrue_c32(), in + i));
    for (; i < count; i += svcntw()) {
        svbool_t some = svwhilelt_b32_u64(i, count);
        most = svmax_f32_m(some, most, svld1_f32(some, in + i));
    }
    svfloat32_t x = svmax_f32_x(all, svget4_f32(quad, 0), svget4_f32(quad, 1));
    svfloat32_t y = svmax_f32_x(all, svget4_f32(quad, 2), svget4_f32(quad, 3));
    return svmaxv_f32(all, svmax_f32_x(all, most, svmax_f32_x(all, x, y)));
}

/* out = e^(in - max); returns the sum. */
INLINE float row_exp(const float *in, float *out, size_t count, float max) __arm_streaming
{
    svbool_t all = svptrue_b32();
    svcount_t every = svptrue_c32();
    svfloat32_t m = svdup_f32(max), sum = svdup_f32(0), other = sum;
    size_t i = 0, step = 4 * svcntw();
    for (; i + step <= count; i += step) {
        svfloat32x4_t x = svld1_f32_x4(every, in + i);
        svfloat32_t a = exp_of_negative(svsub_f32_x(all, svget4_f32(x, 0), m));
        svfloat32_t b = exp_of_negative(svsub_f32_x(all, svget4_f32(x, 1), m));
        svfloat32_t c = exp_of_negative(svsub_f32_x(all, svget4_f32(x, 2), m));
        svfloat32_t d = exp_of_negative(svsub_f32_x(all, svget4_f32(x, 3), m));
        sum = svadd_f32_x(all, sum, svadd_f32_x(all, a, b));
        other = svadd_f32_x(all, other, svadd_f32_x(all, c, d));
        svst1_f32_x4(every, out + i, svcreate4_f32(a, b, c, d));
    }
    for (; i < count; i += svcntw()) {
        svbool_t some = svwhilelt_b32_u64(i, count);
        svfloat32_t a = exp_of_negative(svsub_f32_x(all, svld1_f32(some, in + i), m));
        sum = svadd_f32_m(some, sum, a);
        svst1_f32(some, out + i, a);
    }
    return svaddv_f32(all, svadd_f32_x(all, sum, other));
}

INLINE void row_scale(float *out, size_t count, float factor) __arm_streaming
{
    svbool_t all = svptrue_b32();
    for (size_t i = 0; i < count; i += 4 * svcntw()) {
        svcount_t some = svwhilelt_c32_u64(i, count, 4);
        svfloat32x4_t x = svld1_f32_x4(some, out + i);
        x = svcreate4_f32(svmul_n_f32_x(all, svget4_f32(x, 0), factor),
                          svmul_n_f32_x(all, svget4_f32(x, 1), factor),
                          svmul_n_f32_x(all, svget4_f32(x, 2), factor),
                          svmul_n_f32_x(all, svget4_f32(x, 3), factor));
        svst1_f32_x4(some, out + i, x);
    }
}

static void softmax_body(const void *pointer) __arm_streaming
{
    const struct sl_reduce_args *args = pointer;
    size_t count = args->reduced;
    for (size_t o = 0; o < args->outer; o++) {
        const float *in = args->in + o * count;
        float *out = args->out + o * count;
        float sum = row_exp(in, out, count, row_max(in, count));
        row_scale(out, count, 1 / sum);
    }
}

/* Sum of their squared distances from `mean`. */
INLINE float row_variation(const float *in, size_t count, float mean) __arm_streaming
{
    svbool_t all = svptrue_b32();
    svfloat32_t m = svdup_f32(mean), s0 = svdup_f32(0), s1 = s0, s2 = s0, s3 = s0;
    size_t i = 0, step = 4 * svcntw();
    for (; i + step <= count; i += step) {
        svfloat32x4_t x = svld1_f32_x4(svptrue_c32(), in + i);
        svfloat32_t a = svsub_f32_x(all, svget4_f32(x, 0), m);
        svfloat32_t b = svsub_f32_x(all, svget4_f32(x, 1), m);
        svfloat32_t c = svsub_f32_x(all, svget4_f32(x, 2), m);
        svfloat32_t d = svsub_f32_x(all, svget4_f32(x, 3), m);
        s0 = svmla_f32_x(all, s0, a, a);
        s1 = svmla_f32_x(all, s1, b, b);
        s2 = svmla_f32_x(all, s2, c, c);
        s3 = svmla_f32_x(all, s3, d, d);
    }
    for (; i < count; i += svcntw()) {
        svbool_t some = svwhilelt_b32_u64(i, count);
        svfloat32_t a = svsub_f32_x(all, svld1_f32(some, in + i), m);
        s0 = svmla_f32_m(some, s0, a, a);
    }
    return svaddv_f32(all, svadd_f32_x(all, svadd_f32_x(all, s0, s1), svadd_f32_x(all, s2, s3)));
}

/* out = (in - mean) * rstd * weight + bias; weight and bias may be NULL. */
INLINE void row_normalize(const struct sl_reduce_args *args, const float *in, float *out,
                          float mean, float rstd) __arm_streaming
{
    svbool_t all = svptrue_b32();
    svfloat32_t m = svdup_f32(mean), s = svdup_f32(rstd);
    for (size_t i = 0; i < args->reduced; i += svcntw()) {
        svbool_t some = svwhilelt_b32_u64(i, args->reduced);
        svfloat32_t y = svmul_f32_x(all, svsub_f32_x(all, svld1_f32(some, in + i), m), s);
        if (args->weight)
            y = svmul_f32_x(all, y, svld1_f32(some, args->weight + i));
        if (args->bias)
            y = svadd_f32_x(all, y, svld1_f32(some, args->bias + i));
        svst1_f32(some, out + i, y);
    }
}

/* Both at once, four vectors at a time: the common case. */
INLINE void row_normalize_whole(const struct sl_reduce_args *args, const float *in, float *out,
                                float mean, float rstd) __arm_streaming
{
    svbool_t all = svptrue_b32();
    svfloat32_t m = svdup_f32(mean), s = svdup_f32(rstd);
    for (size_t i = 0; i < args->reduced; i += 4 * svcntw()) {
        svcount_t some = svwhilelt_c32_u64(i, args->reduced, 4);
        svfloat32x4_t x = svld1_f32_x4(some, in + i), w = svld1_f32_x4(some, args->weight + i);
        svfloat32x4_t b = svld1_f32_x4(some, args->bias + i);
        svfloat32_t y0 = svmul_f32_x(all, svsub_f32_x(all, svget4_f32(x, 0), m), s);
        svfloat32_t y1 = svmul_f32_x(all, svsub_f32_x(all, svget4_f32(x, 1), m), s);
        svfloat32_t y2 = svmul_f32_x(all, svsub_f32_x(all, svget4_f32(x, 2), m), s);
        svfloat32_t y3 = svmul_f32_x(all, svsub_f32_x(all, svget4_f32(x, 3), m), s);
        y0 = svmad_f32_x(all, y0, svget4_f32(w, 0), svget4_f32(b, 0));
        y1 = svmad_f32_x(all, y1, svget4_f32(w, 1), svget4_f32(b, 1));
        y2 = svmad_f32_x(all, y2, svget4_f32(w, 2), svget4_f32(b, 2));
        y3 = svmad_f32_x(all, y3, svget4_f32(w, 3), svget4_f32(b, 3));
        svst1_f32_x4(some, out + i, svcreate4_f32(y0, y1, y2, y3));
    }
}

static void layer_norm_body(const void *pointer) __arm_streaming
{
    const struct sl_reduce_args *args = pointer;
    float count = (float)args->reduced;
    for (size_t o = 0; o < args->outer; o++) {
        const float *in = args->in + o * args->reduced;
        float *out = args->out + o * args->reduced;
        float mean = sl_row_sum_sme2(in, args->reduced) / count;
        float variance = row_variation(in, args->reduced, mean) / count;
        float rstd = 1 / __builtin_sqrtf(variance + args->eps);
        if (args->weight && args->bias)
            row_normalize_whole(args, in, out, mean, rstd);
        else
            row_normalize(args, in, out, mean, rstd);
        if (args->mean)
            args->mean[o] = mean;
        if (args->rstd)
            args->rstd[o] = rstd;
    }
}

static void softmax(const struct sl_reduce_args *args)
{
    sl_streaming_run(softmax_body, args);
}

static void layer_norm(const struct sl_reduce_args *args)
{
    sl_streaming_run(layer_norm_body, args);
}

const struct sl_reduce sl_reduce_softmax_f32_f32_4vl_sme2 = {
    .name = "sl_reduce_softmax_f32_f32_4vl_sme2",
    .needs = SL_ISA_SME2,
    .op = SL_REDUCE_SOFTMAX,
    .run = softmax,
};

const struct sl_reduce sl_reduce_layer_norm_f32_f32_4vl_sme2 = {
    .name = "sl_reduce_layer_norm_f32_f32_4vl_sme2",
    .needs = SL_ISA_SME2,
    .op = SL_REDUCE_LAYER_NORM,
    .run = layer_norm,
};

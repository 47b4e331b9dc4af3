/* kernels/unary/trigonometry_sme2.c: sine and cosine of f32 in streaming mode, a vector at a time.
 *
 * As trigonometry_neon.c: x = n pi/2 + r in f64, of even and odd elements apart; from 2^30 on the C
 * library is asked, out of streaming mode. Largest error measured: 1.6 ulp. */
#include <math.h>
#include <stdbool.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/unary/formula_sme2.h"

#define FAR 0x1p30f

struct angles {
    size_t count;
    const float *in;
    float *out;
    bool *left; /* out: whether elements from FAR on, or NaN, stand in `out` as they were */
};

/* The multiple of pi/2; what is over. */
FN svint64_t quarters_of(svfloat64_t *x) MODE
{
    svbool_t all = svptrue_b64();
    svfloat64_t n = svrintn_f64_x(all, svmul_n_f64_x(all, *x, 0x1.45f306dc9c883p-1));
    *x = svmls_n_f64_x(all, *x, n, 0x1.921fb54442d18p+0);
    *x = svmls_n_f64_x(all, *x, n, 0x1.1a62633145c07p-54);
    return svcvt_s64_f64_x(all, n);
}

FN svfloat32_t shifted_sine(svfloat32_t x, int quarters) MODE
{
    svbool_t all = svptrue_b64();
    svfloat64_t even = svcvt_f64_f32_x(all, x), odd = svcvtlt_f64_f32_x(all, x);
    svint32_t low = svreinterpret_s32_s64(quarters_of(&even));
    svint32_t high = svreinterpret_s32_s64(quarters_of(&odd));
    svfloat32_t r = svtrn1_f32(svcvt_f32_f64_x(all, even), svcvt_f32_f64_x(all, odd));
    vec y = formula_quarter_sine(r, svadd_n_s32_x(ALL, svtrn1_s32(low, high), quarters));
    return quarters == 0 ? formula_keep_zero(x, y) : y;
}

FN void shifted_sines(const struct angles *a, int quarters) MODE
{
    svbool_t left = svpfalse_b();
    for (size_t i = 0; i < a->count; i += svcntw()) {
        svbool_t some = svwhilelt_b32_u64(i, a->count);
        svfloat32_t x = svld1_f32(some, a->in + i);
        svbool_t near = svcmplt_n_f32(ALL, svabs_f32_x(ALL, x), FAR);
        svst1_f32(some, a->out + i, svsel_f32(near, shifted_sine(x, quarters), x));
        left = svorn_b_z(ALL, left, near);
    }
    *a->left = svptest_any(ALL, left);
}

static void sines(const void *args) __arm_streaming
{
    shifted_sines(args, 0);
}

static void cosines(const void *args) __arm_streaming
{
    shifted_sines(args, 1);
}

static void run(size_t count, const float *in, float *out, int quarters)
{
    bool left;
    const struct angles args = {count, in, out, &left};
    sl_streaming_run(quarters != 0 ? cosines : sines, &args);
    for (size_t i = 0; left && i < count; i++) /* no sine is as large */
        if (!(fabsf(out[i]) < FAR))
            out[i] = quarters != 0 ? cosf(out[i]) : sinf(out[i]);
}

#define NEEDS SL_ISA_SME2
#define KERNEL(verb) sl_unary_##verb##_f32_f32_1vl_sme2
#include "kernels/unary/trigonometry.h"

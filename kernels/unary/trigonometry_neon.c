/* kernels/unary/trigonometry_neon.c: sine and cosine, 4 elements at a time.
 *
 * x = n pi/2 + r in f64, so that r is right to f32 wherever x is below 2^30; beyond that the C
 * library is asked. Largest error measured: 1.6 ulp. */
#include <math.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/unary/formula_neon.h"

#define HALF_PI_HIGH 0x1.921fb54442d18p+0
#define HALF_PI_LOW 0x1.1a62633145c07p-54
#define TWO_OVER_PI 0x1.45f306dc9c883p-1
static const float huge = 0x1p30f;

/* The remainder of two elements; *out_n is the multiple of pi/2. */
SL_INLINE float32x2_t reduce(float32x2_t x, int32x2_t *out_n)
{
    float64x2_t wide = vcvt_f64_f32(x);
    float64x2_t n = vrndnq_f64(vmulq_f64(wide, vdupq_n_f64(TWO_OVER_PI)));
    *out_n = vmovn_s64(vcvtq_s64_f64(n));
    wide = vfmsq_f64(wide, n, vdupq_n_f64(HALF_PI_HIGH));
    return vcvt_f32_f64(vfmsq_f64(wide, n, vdupq_n_f64(HALF_PI_LOW)));
}

/* sin(x + quarters * pi/2) */
SL_INLINE float32x4_t shifted_sine(float32x4_t x, int quarters)
{
    int32x2_t low, high;
    float32x2_t r_low = reduce(vget_low_f32(x), &low), r_high = reduce(vget_high_f32(x), &high);
    float32x4_t r = vcombine_f32(r_low, r_high);
    int32x4_t n = vaddq_s32(vcombine_s32(low, high), vdupq_n_s32(quarters));
    vec y = formula_quarter_sine(r, n);
    return quarters == 0 ? formula_keep_zero(x, y) : y;
}

SL_INLINE void run(size_t count, const float *in, float *out, int quarters)
{
    while (count > 0) {
        size_t lanes = count < 4 ? count : 4;
        float32x4_t x = sl_neon_load(in, lanes);
        if (vmaxnmvq_f32(vabsq_f32(x)) < huge)
            sl_neon_store(out, shifted_sine(x, quarters), lanes);
        else
            for (size_t i = 0; i < lanes; i++)
                out[i] = quarters != 0 ? cosf(in[i]) : sinf(in[i]);
        in += lanes;
        out += lanes;
        count -= lanes;
    }
}

#define NEEDS SL_ISA_NEON
#define KERNEL(verb) sl_unary_##verb##_f32_f32_1x4_neon
#include "kernels/unary/trigonometry.h"

/* kernels/pool/pool_f16_sme2.c: pooling of halves in streaming mode. Averages are sums of products
 * with ones in ZA, widened to f32: even and odd channels have a group each. */
#include "kernels/pool/pool.h"

#define SL_TYPE f16
#define KERNEL(op) sl_pool_##op##_f16_f16_4vl_sme2
#include "kernels/pool/pool_sme2.inc"

static inline __attribute__((always_inline)) svfloat16x4_t take(int op, svfloat16x4_t largest,
                                                                svfloat16x4_t x) MODE
{
    (void)op;
    return svmax_f16_x4(largest, x);
}

static inline __attribute__((always_inline)) svfloat16x4_t finish(int op, svfloat16x4_t largest,
                                                                  float divisor) MODE
{
    (void)op;
    (void)divisor;
    return largest;
}

/* Even and odd channels, divided and interleaved. */
static inline svfloat16_t put_together(svfloat32_t even, svfloat32_t odd,
                                       float divisor) __arm_streaming
{
    svbool_t all = svptrue_b32();
    svfloat16_t low = svcvt_f16_f32_x(all, svdiv_n_f32_x(all, even, divisor));
    return svcvtnt_f16_f32_m(low, all, svdiv_n_f32_x(all, odd, divisor));
}

static inline svfloat16x4_t average(svcount_t some, const struct taps *taps) MODE
{
    svfloat16_t ones = svdup_f16(1);
    const SL_ELEMENT *row = taps->first;
    svzero_za();
    for (size_t y = taps->rows; y > 0; y--, row += taps->line) {
        const SL_ELEMENT *at = row;
        for (size_t x = taps->columns; x > 0; x--, at += taps->step)
            svmla_single_za32_f16_vg2x4(0, LOAD_QUAD(some, at), ones);
    }
    svfloat32x4_t even = svread_za32_f32_vg1x4(0), odd = svread_za32_f32_vg1x4(1);
    float divisor = (float)(taps->rows * taps->columns);
    return svcreate4_f16(put_together(svget4_f32(even, 0), svget4_f32(odd, 0), divisor),
                         put_together(svget4_f32(even, 1), svget4_f32(odd, 1), divisor),
                         put_together(svget4_f32(even, 2), svget4_f32(odd, 2), divisor),
                         put_together(svget4_f32(even, 3), svget4_f32(odd, 3), divisor));
}

static inline __attribute__((always_inline)) svfloat16x4_t window(int op, svcount_t some,
                                                                  const struct taps *taps) MODE
{
    return op == SL_POOL_MAX ? taken_together(op, some, taps) : average(some, taps);
}

/* kernels/pool/pool_sme2.c: pooling of f32 in streaming mode. */
#include "kernels/pool/pool.h"

#define SL_TYPE f32
#define KERNEL(op) sl_pool_##op##_f32_f32_4vl_sme2
#include "kernels/pool/pool_sme2.inc"

static inline __attribute__((always_inline)) svfloat32x4_t take(int op, svfloat32x4_t sum,
                                                                svfloat32x4_t x) __arm_streaming
{
    if (op == SL_POOL_MAX)
        return svmax_f32_x4(sum, x);
    svbool_t all = svptrue_b32();
    return svcreate4_f32(svadd_f32_x(all, svget4_f32(sum, 0), svget4_f32(x, 0)),
                         svadd_f32_x(all, svget4_f32(sum, 1), svget4_f32(x, 1)),
                         svadd_f32_x(all, svget4_f32(sum, 2), svget4_f32(x, 2)),
                         svadd_f32_x(all, svget4_f32(sum, 3), svget4_f32(x, 3)));
}

static inline __attribute__((always_inline)) svfloat32x4_t finish(int op, svfloat32x4_t sum,
                                                                  float divisor) __arm_streaming
{
    if (op == SL_POOL_AVERAGE) {
        svbool_t all = svptrue_b32();
        sum = svcreate4_f32(svdiv_n_f32_x(all, svget4_f32(sum, 0), divisor),
                            svdiv_n_f32_x(all, svget4_f32(sum, 1), divisor),
                            svdiv_n_f32_x(all, svget4_f32(sum, 2), divisor),
                            svdiv_n_f32_x(all, svget4_f32(sum, 3), divisor));
    }
    return sum;
}

static inline __attribute__((always_inline)) svfloat32x4_t
window(int op, svcount_t some, const struct taps *taps) __arm_streaming
{
    return taken_together(op, some, taps);
}

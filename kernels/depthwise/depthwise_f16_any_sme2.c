/* kernels/depthwise/depthwise_f16_any_sme2.c: depthwise convolution of halves with any window,
 * SME2. Sums are in f32: even channels have a group of ZA, odd ones the next. */
#include <arm_sme.h>

#include "kernels/depthwise/depthwise.h"

#define SL_TYPE f16
#define KERNEL sl_depthwise_f16_f16_f16p4vl_1x1_sme2_mla
#define MODE __arm_streaming __arm_inout("za")
#define INLINE static inline __attribute__((always_inline))
#define QUAD svfloat16x4_t
#define WIDTH svcnth
#define ALL svptrue_c16
#define WHILE(i, end) svwhilelt_c16_u64(i, end, 4)
#define PIXELS 2
#define PER_PIXEL 2

INLINE QUAD load(svcount_t some, const uint16_t *at) MODE
{
    return svld1_f16_x4(some, (const float16_t *)(const void *)at);
}

INLINE void add(uint32_t group, QUAD x, QUAD weight) MODE
{
    svmla_za32_f16_vg2x4(group, x, weight);
}

INLINE void start(uint32_t group, const float *biases) MODE
{
    svwrite_za32_f32_vg1x4(group, svld1_f32_x4(svptrue_c32(), biases));
    svwrite_za32_f32_vg1x4(group + 1, svld1_vnum_f32_x4(svptrue_c32(), biases, 4));
}

/* Even and odd channels, interleaved. */
INLINE svfloat16_t put_together(svfloat32_t even, svfloat32_t odd) __arm_streaming
{
    svbool_t all = svptrue_b32();
    return svcvtnt_f16_f32_m(svcvt_f16_f32_x(all, even), all, odd);
}

INLINE void finish(uint32_t group, svcount_t some, float min, float max, uint16_t *out) MODE
{
    svfloat32x4_t even = svread_za32_f32_vg1x4(group), odd = svread_za32_f32_vg1x4(group + 1);
    QUAD sum = svcreate4_f16(put_together(svget4_f32(even, 0), svget4_f32(odd, 0)),
                             put_together(svget4_f32(even, 1), svget4_f32(odd, 1)),
                             put_together(svget4_f32(even, 2), svget4_f32(odd, 2)),
                             put_together(svget4_f32(even, 3), svget4_f32(odd, 3)));
    sum = svmax_single_f16_x4(sum, svdup_f16((float16_t)min));
    svst1_f16_x4(some, (float16_t *)(void *)out,
                 svmin_single_f16_x4(sum, svdup_f16((float16_t)max)));
}

/* Floats: of the even channels of a block, then of the odd ones. */
static inline size_t place_of(size_t channel, size_t quad)
{
    return channel % 2 * quad / 2 + channel / 2;
}

#include "kernels/depthwise/depthwise_any_sme2.inc"

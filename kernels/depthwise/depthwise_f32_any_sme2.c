/* kernels/depthwise/depthwise_f32_any_sme2.c: depthwise convolution of f32 with any window, SME2.
 */
#include <arm_sme.h>

#include "kernels/depthwise/depthwise.h"

#define SL_TYPE f32
#define KERNEL sl_depthwise_f32_f32_f32p4vl_1x1_sme2_mla
#define MODE __arm_streaming __arm_inout("za")
#define INLINE static inline __attribute__((always_inline))
#define QUAD svfloat32x4_t
#define WIDTH svcntw
#define ALL svptrue_c32
#define WHILE(i, end) svwhilelt_c32_u64(i, end, 4)
#define PIXELS 4
#define PER_PIXEL 1

INLINE QUAD load(svcount_t some, const float *at) MODE
{
    return svld1_f32_x4(some, at);
}

INLINE void add(uint32_t group, QUAD x, QUAD weight) MODE
{
    svmla_za32_f32_vg1x4(group, x, weight);
}

INLINE void start(uint32_t group, const float *biases) MODE
{
    svwrite_za32_f32_vg1x4(group, load(ALL(), biases));
}

INLINE void finish(uint32_t group, svcount_t some, float min, float max, float *out) MODE
{
    QUAD sum = svmax_single_f32_x4(svread_za32_f32_vg1x4(group), svdup_f32(min));
    svst1_f32_x4(some, out, svmin_single_f32_x4(sum, svdup_f32(max)));
}

static inline size_t place_of(size_t channel, size_t quad)
{
    (void)quad;
    return channel;
}

#include "kernels/depthwise/depthwise_any_sme2.inc"

/* kernels/layout/resize_f16_sme2.c: bilinear resizing in half precision, to the bit as NEON's: each
 * step is rounded to it, four vectors of channels at a time. */
#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/layout/resize.h"

#define INLINE static inline __attribute__((always_inline))

#define SL_ELEMENT float16_t
#define RESIZE_MODE __arm_streaming
#define RESIZE_ENTER sl_streaming_run
#define RESIZE_WEIGHT float16_t
static inline void weights_of(float second, float16_t out[2])
{
    out[0] = (float16_t)(1 - second);
    out[1] = (float16_t)second;
}

INLINE svfloat16_t between(svfloat16_t a, svfloat16_t b, svfloat16_t weight) __arm_streaming
{
    svbool_t all = svptrue_b16();
    return svmla_f16_x(all, a, svsub_f16_x(all, b, a), weight);
}

INLINE svfloat16x4_t quad_between(svfloat16x4_t a, svfloat16x4_t b,
                                  svfloat16_t weight) __arm_streaming
{
#define BETWEEN(i) between(svget4_f16(a, i), svget4_f16(b, i), weight)
    return svcreate4_f16(BETWEEN(0), BETWEEN(1), BETWEEN(2), BETWEEN(3));
#undef BETWEEN
}

INLINE svfloat16x4_t load(svcount_t some, const float16_t *at) __arm_streaming
{
    return svld1_f16_x4(some, at);
}

INLINE void resize_pixel(size_t channels, const float16_t *top, const float16_t *bottom,
                         size_t right, float16_t x_weight, float16_t y_weight,
                         float16_t *out) __arm_streaming
{
    svfloat16_t x = svdup_f16(x_weight), y = svdup_f16(y_weight);
    for (size_t c = 0; c < channels; c += 4 * svcnth()) {
        svcount_t some = svwhilelt_c16_u64(c, channels, 4);
        svfloat16x4_t above = quad_between(load(some, top + c), load(some, top + right + c), x);
        svfloat16x4_t below =
            quad_between(load(some, bottom + c), load(some, bottom + right + c), x);
        svst1_f16_x4(some, out + c, quad_between(above, below, y));
    }
}

#include "kernels/layout/resize_walk.inc"

const struct sl_resize sl_resize_f16_f16_4vl_sme2 = {
    .name = "sl_resize_f16_f16_4vl_sme2",
    .needs = SL_ISA_SME2,
    .element = SL_F16,
    .run = run,
};

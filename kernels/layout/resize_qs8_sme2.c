/* kernels/layout/resize_qs8_sme2.c: bilinear resizing of int8, one streaming vector of channels at
 * a time. */
#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/cpu/streaming.h"

#define RESIZE_MODE __arm_streaming
#define RESIZE_ENTER sl_streaming_run
#include "kernels/layout/resize_q11.inc"

#define INLINE static inline __attribute__((always_inline))

/* A row's channels, left and right, to sums of 18 bits: pairs of them by pairs of weights. */
INLINE svint32x4_t across(svbool_t some, const int8_t *left, size_t right,
                          svint16_t weights) __arm_streaming
{
    svint32_t none = svdup_s32(0);
    svint8x2_t pairs =
        svzip_s8_x2(svcreate2_s8(svld1_s8(some, left), svld1_s8(some, left + right)));
    svint16x4_t wide = svunpk_s16_s8_x4(pairs);
    return svcreate4_s32(svdot_s32_s16(none, svget4_s16(wide, 0), weights),
                         svdot_s32_s16(none, svget4_s16(wide, 1), weights),
                         svdot_s32_s16(none, svget4_s16(wide, 2), weights),
                         svdot_s32_s16(none, svget4_s16(wide, 3), weights));
}

INLINE svint32_t down(svint32_t above, svint32_t below, int32_t weight) __arm_streaming
{
    svbool_t all = svptrue_b32();
    return svmla_n_s32_x(all, svmul_n_s32_x(all, above, 2048 - weight), below, weight);
}

static void blend_pixel(const struct neighbours *of, size_t channels, int8_t *out) __arm_streaming
{
    svint16_t weights = svreinterpret_s16_s32(svdup_s32((2048 - of->x) | of->x << 16));
    svint32_t shift = svdup_s32(-22);
    int32_t y = of->y;
    for (size_t c = 0; c < channels; c += svcntb()) {
        svbool_t some = svwhilelt_b8_u64(c, channels);
        svint32x4_t above = across(some, of->top + c, of->right, weights);
        svint32x4_t below = across(some, of->bottom + c, of->right, weights);
        svint32x4_t sum = svcreate4_s32(down(svget4_s32(above, 0), svget4_s32(below, 0), y),
                                        down(svget4_s32(above, 1), svget4_s32(below, 1), y),
                                        down(svget4_s32(above, 2), svget4_s32(below, 2), y),
                                        down(svget4_s32(above, 3), svget4_s32(below, 3), y));
        svst1_s8(some, out + c, svqcvt_s8_s32_x4(svrshl_single_s32_x4(sum, shift)));
    }
}

const struct sl_resize sl_resize_qs8_qs8_1x1vl_sme2 = {
    .name = "sl_resize_qs8_qs8_1x1vl_sme2",
    .needs = SL_ISA_SME2,
    .element = SL_QS8,
    .run = run,
};

/* kernels/layout/resize_qs8_neon.c: bilinear resizing of int8, NEON: 16 channels at a time, then
 * those left. */
#include "kernels/cpu/neon.h"

#define RESIZE_MODE
#include "kernels/layout/resize_q11.inc"

/* Eight channels of a row, left and right, to sums of 18 bits. */
SL_INLINE void across(int8x8_t left, int8x8_t right, const int16x4_t weights[2], int32x4_t out[2])
{
    int16x8_t a = vmovl_s8(left), b = vmovl_s8(right);
    out[0] = vmull_s16(vget_low_s16(a), weights[0]);
    out[1] = vmull_s16(vget_high_s16(a), weights[0]);
    out[0] = vmlal_s16(out[0], vget_low_s16(b), weights[1]);
    out[1] = vmlal_s16(out[1], vget_high_s16(b), weights[1]);
}

SL_INLINE int8x8_t eight(const int8x8_t corners[4], const int16x4_t x[2], const int32x4_t y[2])
{
    int32x4_t above[2], below[2];
    across(corners[0], corners[1], x, above);
    across(corners[2], corners[3], x, below);
    int32x4_t low = vmlaq_s32(vmulq_s32(above[0], y[0]), below[0], y[1]);
    int32x4_t high = vmlaq_s32(vmulq_s32(above[1], y[0]), below[1], y[1]);
    int16x8_t sum =
        vcombine_s16(vmovn_s32(vrshrq_n_s32(low, 22)), vmovn_s32(vrshrq_n_s32(high, 22)));
    return vmovn_s16(sum);
}

/* The first `count` (1 to 16) channels. */
SL_INLINE int8x16_t sixteen(const struct neighbours *of, size_t c, size_t count,
                            const int16x4_t x[2], const int32x4_t y[2])
{
    const int8x16_t top[2] = {sl_neon_bytes(of->top + c, count),
                              sl_neon_bytes(of->top + of->right + c, count)};
    const int8x16_t bottom[2] = {sl_neon_bytes(of->bottom + c, count),
                                 sl_neon_bytes(of->bottom + of->right + c, count)};
    const int8x8_t low[4] = {vget_low_s8(top[0]), vget_low_s8(top[1]), vget_low_s8(bottom[0]),
                             vget_low_s8(bottom[1])};
    const int8x8_t high[4] = {vget_high_s8(top[0]), vget_high_s8(top[1]), vget_high_s8(bottom[0]),
                              vget_high_s8(bottom[1])};
    return vcombine_s8(eight(low, x, y), eight(high, x, y));
}

static void blend_pixel(const struct neighbours *of, size_t channels, int8_t *out)
{
    const int16x4_t x[2] = {vdup_n_s16((int16_t)(2048 - of->x)), vdup_n_s16((int16_t)of->x)};
    const int32x4_t y[2] = {vdupq_n_s32(2048 - of->y), vdupq_n_s32(of->y)};
    size_t c = 0;
    for (; c + 16 <= channels; c += 16)
        vst1q_s8(out + c, sixteen(of, c, 16, x, y));
    if (c == channels)
        return;
    int8x16_t rest = sixteen(of, c, channels - c, x, y);
    memcpy(out + c, &rest, channels - c);
}

const struct sl_resize sl_resize_qs8_qs8_1x16_neon = {
    .name = "sl_resize_qs8_qs8_1x16_neon",
    .needs = SL_ISA_NEON,
    .element = SL_QS8,
    .run = run,
};

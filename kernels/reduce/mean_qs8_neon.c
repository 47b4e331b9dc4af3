/* kernels/reduce/mean_qs8_neon.c: means of int8, NEON: 16 columns at a time, or along a row. Sums
 * are 16 bits wide as long as that suffices. */
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/reduce/mean_qs8.h"

enum {
    MOST_ADDED = 255, /* int8 values to 16 bits */
    MOST_PAIRS = 127, /* pairs of them */
};

struct finish {
    float32x4_t scale, offset, min, max;
};

static size_t workspace_bytes(size_t inner)
{
    (void)inner;
    return 0;
}

SL_INLINE int32x4_t mean_of(int32x4_t sum, const struct finish *f)
{
#pragma STDC FP_CONTRACT OFF
    float32x4_t y = vaddq_f32(vmulq_f32(vcvtq_f32_s32(sum), f->scale), f->offset);
    return vcvtnq_s32_f32(vminq_f32(vmaxq_f32(y, f->min), f->max));
}

SL_INLINE int8x16_t means_of(const int32x4_t sum[4], const struct finish *f)
{
    int16x8_t low = vcombine_s16(vmovn_s32(mean_of(sum[0], f)), vmovn_s32(mean_of(sum[1], f)));
    int16x8_t high = vcombine_s16(vmovn_s32(mean_of(sum[2], f)), vmovn_s32(mean_of(sum[3], f)));
    return vcombine_s8(vmovn_s16(low), vmovn_s16(high));
}

/* Up to 16 columns from `in` on. */
SL_INLINE int8x16_t columns_of(const struct sl_mean_qs8_args *a, const int8_t *in, size_t count,
                               const struct finish *f)
{
    int32x4_t sum[4] = {vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0)};
    for (size_t left = a->reduced, some; left > 0; left -= some) {
        int16x8_t low = vdupq_n_s16(0), high = low;
        some = left < MOST_ADDED ? left : MOST_ADDED;
        for (size_t r = some; r > 0; r--, in += a->inner) {
            int8x16_t x = sl_neon_bytes(in, count);
            low = vaddw_s8(low, vget_low_s8(x));
            high = vaddw_high_s8(high, x);
        }
        sum[0] = vaddw_s16(sum[0], vget_low_s16(low));
        sum[1] = vaddw_high_s16(sum[1], low);
        sum[2] = vaddw_s16(sum[2], vget_low_s16(high));
        sum[3] = vaddw_high_s16(sum[3], high);
    }
    return means_of(sum, f);
}

static int32_t sum_of(const int8_t *in, size_t count)
{
    int32x4_t sum = vdupq_n_s32(0);
    while (count >= 16) {
        int16x8_t pairs = vdupq_n_s16(0);
        for (size_t i = 0; i < MOST_PAIRS && count >= 16; i++, in += 16, count -= 16)
            pairs = vpadalq_s8(pairs, vld1q_s8(in));
        sum = vpadalq_s16(sum, pairs);
    }
    if (count > 0)
        sum = vpadalq_s16(sum, vpaddlq_s8(sl_neon_bytes(in, count)));
    return vaddvq_s32(sum);
}

static void run(const struct sl_mean_qs8_args *a)
{
    const struct finish f = {vdupq_n_f32(a->scale), vdupq_n_f32(sl_mean_qs8_offset(a)),
                             vdupq_n_f32(a->out_quant.min), vdupq_n_f32(a->out_quant.max)};
    const int8_t *in = a->in;
    int8_t *out = a->out;
    for (size_t o = 0; o < a->outer; o++, in += a->reduced * a->inner, out += a->inner) {
        if (a->inner == 1) {
            *out = (int8_t)vgetq_lane_s32(mean_of(vdupq_n_s32(sum_of(in, a->reduced)), &f), 0);
            continue;
        }
        size_t c = 0;
        for (; a->inner - c >= 16; c += 16)
            vst1q_s8(out + c, columns_of(a, in + c, 16, &f));
        if (c < a->inner) {
            int8x16_t y = columns_of(a, in + c, a->inner - c, &f);
            memcpy(out + c, &y, a->inner - c);
        }
    }
}

const struct sl_mean_qs8 sl_mean_qs8_qs8_1x16_neon = {
    .name = "sl_mean_qs8_qs8_1x16_neon",
    .needs = SL_ISA_NEON,
    .workspace_bytes = workspace_bytes,
    .run = run,
};

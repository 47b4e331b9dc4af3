/* kernels/matmul/qs8_blocks_neon.h: what a NEON engine of static int8 is made of. The including
 * file defines before: NAME, the end of the kernels' names; NEEDS, their ISA bits; weight_t,
 * place() and multiply(), which the engines say. Functions are inlined into callers whose row count
 * is constant. */
#pragma once

#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/matmul/qs8_blocks.h"

/* A row of 8 sums back to bytes, not yet narrowed and clamped. */
SL_INLINE int16x8_t sl_qs8_row(int32x4_t low, int32x4_t high, const float *scale, int16x8_t zero)
{
    int32x4_t a = vcvtnq_s32_f32(vmulq_f32(vcvtq_f32_s32(low), vld1q_f32(scale)));
    int32x4_t b = vcvtnq_s32_f32(vmulq_f32(vcvtq_f32_s32(high), vld1q_f32(scale + 4)));
    return vqaddq_s16(vqmovn_high_s32(vqmovn_s32(a), b), zero);
}

/* Requantises and stores `mr` rows of up to 8 columns. */
SL_INLINE void sl_qs8_store(size_t mr, int32x4_t acc[SL_QS8_MR][2], const struct sl_qs8_rows *job,
                            const struct sl_qs8_head *head, int8_t *dst, size_t columns)
{
    int16x8_t zero = vdupq_n_s16(job->out.zero);
    int8x16_t min = vdupq_n_s8(job->out.min), max = vdupq_n_s8(job->out.max);
    SL_UNROLL
    for (size_t i = 0; i < mr; i += 2) {
        size_t second = mr > 1 ? i + 1 : i;
        int8x8_t upper = vqmovn_s16(sl_qs8_row(acc[i][0], acc[i][1], head->scale, zero));
        int8x16_t rows =
            vqmovn_high_s16(upper, sl_qs8_row(acc[second][0], acc[second][1], head->scale, zero));
        rows = vminq_s8(vmaxq_s8(rows, min), max);
        if (columns == SL_QS8_NR) {
            vst1_s8(dst, vget_low_s8(rows));
            if (mr > 1)
                vst1_s8(dst + job->dst_stride, vget_high_s8(rows));
        } else {
            int8_t bytes[16];
            vst1q_s8(bytes, rows);
            memcpy(dst, bytes, columns);
            if (mr > 1)
                memcpy(dst + job->dst_stride, bytes + 8, columns);
        }
        dst += 2 * job->dst_stride;
    }
}

/* kernels/matmul/line_sums_sme2.h: sums of int8 weights that stand in a panel of two vectors of
 * columns, or of one. Internal to the SME2 kernels of int8. */
#pragma once

#include <arm_sme.h>
#include <arm_sve.h>

/* Sums each column over `lines` lines of words; a narrow panel has both sums equal. Uses ZA. */
static inline __attribute__((always_inline)) svint32x2_t
sums_of_lines(const int8_t *words, size_t lines, bool narrow) __arm_streaming __arm_inout("za")
{
    svbool_t all = svptrue_b32();
    svint8_t ones = svdup_s8(1);
    size_t bytes = lines * svcntb() * (narrow ? 1 : 2);
    svzero_za();
    for (size_t at = 0; at < bytes; at += 4 * svcntb())
        svdot_single_za32_s8_vg1x4(0, svld1_s8_x4(svwhilelt_c8_u64(at, bytes, 4), words + at),
                                   ones);
    svint32x4_t four = svread_za32_s32_vg1x4(0);
    svint32_t left = svadd_s32_x(all, svget4_s32(four, 0), svget4_s32(four, 2));
    svint32_t right = svadd_s32_x(all, svget4_s32(four, 1), svget4_s32(four, 3));
    if (narrow)
        left = right = svadd_s32_x(all, left, right);
    return svcreate2_s32(left, right);
}

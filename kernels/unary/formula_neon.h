/* kernels/unary/formula_neon.h: the elementary functions of formula.inc on vectors of NEON. */
#pragma once

#include <math.h>

#include "kernels/cpu/neon.h"

#define FN SL_INLINE
#define MODE
typedef float32x4_t vec;
typedef uint32x4_t mask;
typedef int32x4_t ints;

#define v_set vdupq_n_f32
#define v_add vaddq_f32
#define v_sub vsubq_f32
#define v_mul vmulq_f32
#define v_div vdivq_f32
#define v_fma vfmaq_f32
#define v_min vminq_f32
#define v_max vmaxq_f32
#define v_abs vabsq_f32
#define v_neg vnegq_f32
#define v_sqrt vsqrtq_f32
#define v_round vrndnq_f32
#define v_less vcltq_f32
#define v_equal vceqq_f32
#define v_select vbslq_f32
#define v_odd(n) vtstq_s32(n, vdupq_n_s32(1))
#define v_to_ints vcvtq_s32_f32
#define v_from_ints vcvtq_f32_s32
#define v_bits vreinterpretq_s32_f32
#define v_from_bits vreinterpretq_f32_s32
#define v_pow2(n) vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(n, vdupq_n_s32(127)), 23))
#define v_copy_sign(x, sign) vbslq_f32(vdupq_n_u32(0x80000000), sign, x)
#define i_set vdupq_n_s32
#define i_add vaddq_s32
#define i_sub vsubq_s32
#define i_and vandq_s32
#define i_xor veorq_s32
#define i_shift_left_30(x) vshlq_n_s32(x, 30)
#define i_shift_right_1(x) vshrq_n_s32(x, 1)
#define i_shift_right_23(x) vshrq_n_s32(x, 23)
#include "kernels/unary/formula.inc"

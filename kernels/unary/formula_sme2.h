/* kernels/unary/formula_sme2.h: the elementary functions of formula.inc on vectors of streaming
 * mode.
 */
#pragma once

#include <arm_sme.h>
#include <arm_sve.h>
#include <math.h>

#define FN static inline __attribute__((always_inline))
#define MODE __arm_streaming
#define ALL svptrue_b32()
typedef svfloat32_t vec;
typedef svbool_t mask;
typedef svint32_t ints;

#define v_set svdup_f32
#define v_add(x, y) svadd_f32_x(ALL, x, y)
#define v_sub(x, y) svsub_f32_x(ALL, x, y)
#define v_mul(x, y) svmul_f32_x(ALL, x, y)
#define v_div(x, y) svdiv_f32_x(ALL, x, y)
#define v_fma(sum, x, y) svmla_f32_x(ALL, sum, x, y)
#define v_min(x, y) svmin_f32_x(ALL, x, y)
#define v_max(x, y) svmax_f32_x(ALL, x, y)
#define v_abs(x) svabs_f32_x(ALL, x)
#define v_neg(x) svneg_f32_x(ALL, x)
#define v_sqrt(x) svsqrt_f32_x(ALL, x)
#define v_round(x) svrintn_f32_x(ALL, x)
#define v_less(x, y) svcmplt_f32(ALL, x, y)
#define v_equal(x, y) svcmpeq_f32(ALL, x, y)
#define v_select svsel_f32
#define v_odd(n) svcmpne_n_s32(ALL, svand_n_s32_x(ALL, n, 1), 0)
#define v_to_ints(x) svcvt_s32_f32_x(ALL, x)
#define v_from_ints(x) svcvt_f32_s32_x(ALL, x)
#define v_bits svreinterpret_s32_f32
#define v_from_bits svreinterpret_f32_s32
#define v_pow2(n) v_from_bits(svlsl_n_s32_x(ALL, svadd_n_s32_x(ALL, n, 127), 23))
#define v_copy_sign(x, sign)                                                                       \
    v_from_bits(svorr_s32_x(ALL, svand_n_s32_x(ALL, v_bits(x), INT32_MAX),                         \
                            svand_n_s32_x(ALL, v_bits(sign), INT32_MIN)))
#define i_set svdup_s32
#define i_add(x, y) svadd_s32_x(ALL, x, y)
#define i_sub(x, y) svsub_s32_x(ALL, x, y)
#define i_and(x, y) svand_s32_x(ALL, x, y)
#define i_xor(x, y) sveor_s32_x(ALL, x, y)
#define i_shift_left_30(x) svlsl_n_s32_x(ALL, x, 30)
#define i_shift_right_1(x) svasr_n_s32_x(ALL, x, 1)
#define i_shift_right_23(x) svasr_n_s32_x(ALL, x, 23)
#include "kernels/unary/formula.inc"

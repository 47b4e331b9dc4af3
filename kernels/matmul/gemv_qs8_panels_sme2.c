/* kernels/matmul/gemv_qs8_panels_sme2.c: one row of int8 times weights that are packed for outer
 * products: sums of 2VL columns in a vector group of ZA, four k a dot product. */
#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/matmul/matmul_qs8.h"
#include "kernels/matmul/mopa_qs8.h"
#include "kernels/matmul/qs8_gemv.h"
#include "kernels/matmul/row_words_sme2.h"

#define INLINE static inline __attribute__((always_inline))

/* A result and its bounds, the bounds less the zero point. */
struct bounds {
    int32_t min, max, zero;
};

/* A vector of sums as its results, to the columns that `some` has. */
INLINE void put(svbool_t some, svint32_t sum, svfloat32_t scale, const struct bounds *b,
                int8_t *to) __arm_streaming
{
    svbool_t all = svptrue_b32();
    svfloat32_t y = svmul_f32_x(all, svcvt_f32_s32_x(all, sum), scale);
    svint32_t whole = svcvt_s32_f32_x(all, svrintn_f32_x(all, y));
    whole = svclamp_s32(whole, svdup_s32(b->min), svdup_s32(b->max));
    svst1b_s32(some, to, svadd_n_s32_x(all, whole, b->zero));
}

void sl_matmul_qs8_row_sme2(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct sl_matmul_qs8_args *args = pointer;
    const int8_t *panel = args->rhs, *row = args->lhs;
    const struct bounds b = {args->out.min - args->out.zero, args->out.max - args->out.zero,
                             args->out.zero};
    size_t vl = svcntw(), k = args->k, n = args->n, steps = sl_rhs_qs8_steps(1, k);
    int8_t *dst = args->dst;
    for (size_t c = 0; c < n; c += 2 * vl, dst += 2 * vl) {
        bool narrow = n - c <= vl;
        size_t line = narrow ? 4 * vl : 8 * vl;
        svcount_t some = svwhilelt_c32_u64(0, line / 4, 2);
        svfloat32x2_t scale = svld1_f32_x2(some, (const float *)(const void *)(panel + line));
        svint32x2_t sum = svld1_s32_x2(some, (const int32_t *)(const void *)panel);
        if (narrow) {
            sum = svset2_s32(sum, 0,
                             sl_row_take_narrow(row, k, panel + 2 * line, svget2_s32(sum, 0)));
        } else {
            svwrite_za32_s32_vg1x2(0, sum);
            sl_row_take_wide(row, k, panel + 2 * line);
            sum = svread_za32_s32_vg1x2(0);
        }
        put(svwhilelt_b32_u64(c, n), svget2_s32(sum, 0), svget2_f32(scale, 0), &b, dst);
        put(svwhilelt_b32_u64(c + vl, n), svget2_s32(sum, 1), svget2_f32(scale, 1), &b, dst + vl);
        panel += (2 + steps) * line;
    }
}

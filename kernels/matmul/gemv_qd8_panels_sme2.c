/* kernels/matmul/gemv_qd8_panels_sme2.c: one quantised row times int8 weights that are packed for
 * outer products; what finish() of qd8_panels_scalar.c states, of a single row. */
#include "kernels/matmul/qd8_mopa.h"
#include "kernels/matmul/row_words_sme2.h"

/* Finishes a vector of dot products, columns c and after. At `head`: their lines of corrections,
 * then scales and biases, `line` bytes apart. */
SL_ROW_INLINE void put(const struct sl_qd8_row *row, size_t c, svint32_t acc, const char *head,
                       size_t line) __arm_streaming
{
    svbool_t all = svptrue_b32(), some = svwhilelt_b32_u64(c, row->job->n);
    svint32_t zero_point = svdup_s32(row->zero_point);
    for (size_t n = row->job->corrections; n > 0; n--, head += line) {
        svint32_t pair = svld1_s32(all, (const int32_t *)(const void *)head);
        svint32_t high = svlsl_n_s32_x(all, svasr_n_s32_x(all, pair, 16), 8);
        acc = svmls_s32_x(all, acc, svadd_s32_x(all, svexth_s32_x(all, pair), high), zero_point);
    }
    svfloat32_t scale = svld1_f32(all, (const float *)(const void *)head);
    svfloat32_t y = svld1_f32(all, (const float *)(const void *)(head + line));
    y = svmla_f32_x(all, y, svmul_n_f32_x(all, svcvt_f32_s32_x(all, acc), row->scale), scale);
    y = svmin_n_f32_x(all, svmax_n_f32_x(all, y, row->min), row->max);
    if (row->job->half)
        svst1h_u32(some, (uint16_t *)row->job->dst + c,
                   svreinterpret_u32_f16(svcvt_f16_f32_x(all, y)));
    else
        svst1_f32(some, (float *)row->job->dst + c, y);
}

void sl_matmul_qd8_row_sme2(const struct sl_qd8_row *row) __arm_streaming __arm_inout("za")
{
    const char *panel = row->job->rhs;
    size_t vl = svcntw(), n = row->job->n, corrections = row->job->corrections;
    svint32_t none = svdup_s32(0);
    for (size_t c = 0; c < n; c += 2 * vl) {
        size_t line = n - c <= vl ? 4 * vl : 8 * vl;
        const int8_t *words = (const int8_t *)panel + (corrections + 2) * line;
        if (n - c <= vl) {
            put(row, c, sl_row_take_narrow(row->values, row->k, words, none), panel, line);
            return;
        }
        svwrite_za32_s32_vg1x2(0, svcreate2_s32(none, none));
        sl_row_take_wide(row->values, row->k, words);
        svint32x2_t acc = svread_za32_s32_vg1x2(0);
        put(row, c, svget2_s32(acc, 0), panel, line);
        put(row, c + vl, svget2_s32(acc, 1), panel + 4 * vl, line);
        panel += (corrections + 2 + row->job->words) * line;
    }
}

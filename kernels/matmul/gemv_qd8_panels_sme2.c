/* kernels/matmul/gemv_qd8_panels_sme2.c: one quantised row times int8 or int4 weights that are
 * packed for outer products; what finish() and finish_sums() of qd8_panels_scalar.c state, of a
 * single row. */
#include "kernels/matmul/qd8_mopa.h"
#include "kernels/matmul/row_words_sme2.h"

enum { SUMS = 2 * 64 }; /* of a panel at the longest vector */

/* Clamps and stores a vector of results, columns c and after. */
SL_ROW_INLINE void store(const struct sl_qd8_row *row, size_t c, svfloat32_t y) __arm_streaming
{
    svbool_t all = svptrue_b32(), some = svwhilelt_b32_u64(c, row->job->n);
    y = svmin_n_f32_x(all, svmax_n_f32_x(all, y, row->min), row->max);
    if (row->job->half)
        svst1h_u32(some, (uint16_t *)row->job->dst + c,
                   svreinterpret_u32_f16(svcvt_f16_f32_x(all, y)));
    else
        svst1_f32(some, (float *)row->job->dst + c, y);
}

/* Finishes a vector of dot products, columns c and after. At `head`: their lines of corrections,
 * then scales and biases, `line` bytes apart. */
SL_ROW_INLINE void put(const struct sl_qd8_row *row, size_t c, svint32_t acc, const char *head,
                       size_t line) __arm_streaming
{
    svbool_t all = svptrue_b32();
    svint32_t zero_point = svdup_s32(row->zero_point);
    for (size_t n = row->job->corrections; n > 0; n--, head += line) {
        svint32_t pair = svld1_s32(all, (const int32_t *)(const void *)head);
        svint32_t high = svlsl_n_s32_x(all, svasr_n_s32_x(all, pair, 16), 8);
        acc = svmls_s32_x(all, acc, svadd_s32_x(all, svexth_s32_x(all, pair), high), zero_point);
    }
    svfloat32_t scale = svld1_f32(all, (const float *)(const void *)head);
    svfloat32_t y = svld1_f32(all, (const float *)(const void *)(head + line));
    y = svmla_f32_x(all, y, svmul_n_f32_x(all, svcvt_f32_s32_x(all, acc), row->scale), scale);
    store(row, c, y);
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

/* Adds a word of int4 of two vectors of columns. They are summed in registers: clang 19 takes some
 * of several dot products in ZA for one when a table look-up in ZT0 stands between them. */
#define TAKE_NIBBLES(line, values, lane)                                                           \
    do {                                                                                           \
        svint8x2_t pair = svluti4_lane_zt_s8_x2(0, line, 0);                                       \
        low = svdot_lane_s32(low, svget2_s8(pair, 0), values, lane);                               \
        high = svdot_lane_s32(high, svget2_s8(pair, 1), values, lane);                             \
    } while (0)

#define TAKE_FOUR(lines, values)                                                                   \
    TAKE_NIBBLES(svget4_u8(lines, 0), values, 0);                                                  \
    TAKE_NIBBLES(svget4_u8(lines, 1), values, 1);                                                  \
    TAKE_NIBBLES(svget4_u8(lines, 2), values, 2);                                                  \
    TAKE_NIBBLES(svget4_u8(lines, 3), values, 3)

/* The sums of a panel of int4 over so many k. */
SL_ROW_INLINE svint32x2_t
nibble_sums(const int8_t *values, size_t k,
            const uint8_t *lines) __arm_streaming __arm_inout("za") __arm_in("zt0")
{
    svint32_t low = svdup_s32(0), high = low;
    svcount_t all = svptrue_c8();
    for (; k >= 32; k -= 32, values += 32, lines += 8 * svcntb()) {
        svint8_t first = svld1rq_s8(svptrue_b8(), values);
        svint8_t second = svld1rq_s8(svptrue_b8(), values + 16);
        svuint8x4_t a = svld1_u8_x4(all, lines), b = svld1_vnum_u8_x4(all, lines, 4);
        TAKE_FOUR(a, first);
        TAKE_FOUR(b, second);
    }
    for (size_t at = 0; at < k; at += 4, lines += svcntb()) {
        svint8_t word = svld1rq_s8(svwhilelt_b8_u64(at, k), values + at);
        TAKE_NIBBLES(svld1_u8(svptrue_b8(), lines), word, 0);
    }
    return svcreate2_s32(low, high);
}

__arm_new("zt0") void sl_matmul_q4_row_sme2(
    const struct sl_qd8_row *row) __arm_streaming __arm_inout("za")
{
    const char *panel = row->job->rhs;
    size_t vl = svcntw(), line = 8 * vl, heads = (row->job->corrections + 2) * line;
    svldr_zt(0, row->job->nibbles);
    for (size_t c = 0; c < row->job->n; c += 2 * vl) {
        svint32x2_t acc = nibble_sums(row->values, row->k, (const uint8_t *)panel + heads);
        put(row, c, svget2_s32(acc, 0), panel, line);
        put(row, c + vl, svget2_s32(acc, 1), panel + 4 * vl, line);
        panel += heads + row->job->words * 4 * vl;
    }
}

/* A panel of int4 in groups; the assembly knows its layout. */
struct sl_q4_groups_row {
    const int8_t *values;
    const void *groups;  /* each: scales, then words */
    size_t count, turns; /* turns: of 32 k, in a group */
    float *sums;         /* [2VL], so far */
};

void sl_q4_groups_row_sme2_asm(const struct sl_q4_groups_row *row) __arm_streaming __arm_inout(
    "za") __arm_in("zt0");

__arm_new("zt0") void sl_matmul_q4_groups_row_sme2(
    const struct sl_qd8_row *row) __arm_streaming __arm_inout("za")
{
    const char *panel = row->job->rhs;
    svbool_t all = svptrue_b32();
    size_t vl = svcntw(), line = 8 * vl, words = row->job->words, groups = row->job->corrections;
    float sums[SUMS];
    svldr_zt(0, row->job->nibbles);
    for (size_t c = 0; c < row->job->n; c += 2 * vl) {
        const float *head = (const float *)(const void *)panel;
        const struct sl_q4_groups_row job = {row->values, panel + 2 * line, groups, words / 8,
                                             sums};
        for (size_t i = 0; i < 2 * vl; i += vl)
            svst1_f32(all, sums + i,
                      svmul_n_f32_x(all, svld1_f32(all, head + i), (float)-row->zero_point));
        sl_q4_groups_row_sme2_asm(&job);
        for (size_t i = 0; i < 2 * vl; i += vl)
            store(row, c + i,
                  svmla_n_f32_x(all, svld1_f32(all, head + 2 * vl + i), svld1_f32(all, sums + i),
                                row->scale));
        panel += 2 * line + groups * (line + words * 4 * vl);
    }
}

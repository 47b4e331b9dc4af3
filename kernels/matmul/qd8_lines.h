/* kernels/matmul/qd8_lines.h: int8 and int4 rows to lines of words, SME2. Internal to the
 * kernels of dynamic int8. */
#pragma once

#include "kernels/matmul/matmul_qd8.h"
#include "kernels/matmul/qd8_mopa.h"

#if defined(__ARM_FEATURE_SME2)
#include <arm_sme.h>
#include <arm_sve.h>

enum { SL_QD8_MOST_COLUMNS = 2 * 64 }; /* of a strip at the longest vector */

/* Words of k; at least 1, so that a product of nothing walks over zeros. */
static inline size_t sl_qd8_words(size_t k) __arm_streaming_compatible
{
    return k ? (k + 3) / 4 : 1;
}

/* Lines of corrections of a panel. */
static inline size_t sl_qd8_corrections(size_t k) __arm_streaming_compatible
{
    return (sl_qd8_words(k) - 1) / (SL_QD8_CORRECTION_K / 4) + 1;
}

/* Groups of the weights, or lines of corrections. */
static inline size_t
sl_qd8_head_lines(const struct sl_matmul_qd8_args *args) __arm_streaming_compatible
{
    return args->group ? args->k / args->group : sl_qd8_corrections(args->k);
}

/* Rows of bytes that become columns. */
struct sl_qd8_lines {
    const char *const *rows; /* one for each lane of a line */
    size_t from, to;         /* bytes of a row; past the last they are 0 */
    char *out;
    size_t line_bytes; /* from line to line of out */
};

/* Writes the addresses of 2VL rows; past the last row, it repeats that one. */
static inline __attribute__((always_inline)) void sl_qd8_put_rows(const char **rows,
                                                                  const char *first,
                                                                  size_t row_bytes,
                                                                  size_t count) __arm_streaming
{
    svbool_t all = svptrue_b64();
    uint64_t base = (uint64_t)(uintptr_t)first, last = base + (count - 1) * row_bytes;
    svuint64_t row = svindex_u64(base, row_bytes), at_most = svdup_u64(last);
    for (size_t i = 0; i < 2 * svcntw(); i += svcntd()) {
        svst1_u64(all, (uint64_t *)(void *)(rows + i), svmin_u64_x(all, row, at_most));
        row = svadd_n_u64_x(all, row, svcntd() * row_bytes);
    }
}

/* VL rows of int8 to lines of as many words; out_sums [VL]: of each row. */
void sl_qd8_pack_words_sme2(const struct sl_qd8_lines *lines, size_t words,
                            int32_t *out_sums) __arm_streaming __arm_inout("za");

/* Up to 2VL columns of weights. */
struct sl_qd8_strip {
    const struct sl_weights_qd8 *weights;
    size_t first, columns; /* columns: those that exist, 1 to 2VL */
    bool q4;
};

/* Words [from, to) of a strip: `out` line by line, line_bytes apart. A line of int8 has `vectors`
 * (1 or 2) vectors, one of int4 has one, of 2VL halfwords. Past the last k the weights are 0; past
 * the last column they are any. out_sums [2VL]: of the weights over these words. */
void sl_qd8_pack_strip_sme2(const struct sl_qd8_strip *strip, size_t from, size_t to, char *out,
                            size_t line_bytes, size_t vectors,
                            int32_t *out_sums) __arm_streaming __arm_inout("za");
#endif

/* kernels/layout/transpose_x8_sme2.c: 8-bit transposes, SME2: rows into the one tile of bytes that
 * ZA is, columns out of it, but where there are few rows or columns. */
#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/layout/layout_x8.h"

#define SL_ELEMENT uint8_t
#define ARGS sl_transpose_x8_args
#define VECTOR svuint8_t
#define TUPLE(n) svuint8x##n##_t
#define SV(verb) sv##verb##_u8
#define COUNT svcntb
#define WHILE svwhilelt_b8_u64
#include "kernels/layout/transpose_few_sme2.inc"

#define INLINE static inline __attribute__((always_inline))

/* A block of at most VL x VL: so many rows and columns of `in`. */
struct block {
    size_t rows, cols;
    const uint8_t *in;
    size_t in_stride;
    uint8_t *out;
    size_t out_stride;
};

INLINE void load_rows(const struct block *b) __arm_streaming __arm_inout("za")
{
    svbool_t some = svwhilelt_b8_u64(0, b->cols);
    const uint8_t *in = b->in;
    size_t stride = b->in_stride;
    uint32_t row = 0;
    for (; b->rows - row >= 4; row += 4, in += 4 * stride) {
        svld1_hor_za8(0, row, some, in);
        svld1_hor_za8(0, row + 1, some, in + stride);
        svld1_hor_za8(0, row + 2, some, in + 2 * stride);
        svld1_hor_za8(0, row + 3, some, in + 3 * stride);
    }
    for (; row < b->rows; row++, in += stride)
        svld1_hor_za8(0, row, some, in);
}

INLINE void store_columns(const struct block *b) __arm_streaming __arm_inout("za")
{
    svbool_t some = svwhilelt_b8_u64(0, b->rows);
    uint8_t *out = b->out;
    size_t stride = b->out_stride;
    uint32_t column = 0;
    for (; b->cols - column >= 4; column += 4, out += 4 * stride) {
        svst1_ver_za8(0, column, some, out);
        svst1_ver_za8(0, column + 1, some, out + stride);
        svst1_ver_za8(0, column + 2, some, out + 2 * stride);
        svst1_ver_za8(0, column + 3, some, out + 3 * stride);
    }
    for (; column < b->cols; column++, out += stride)
        svst1_ver_za8(0, column, some, out);
}

static void body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct sl_transpose_x8_args *a = pointer;
    size_t vl = svcntb();
    for (size_t n = 0; n < a->batch; n++)
        for (size_t r = 0; r < a->rows; r += vl)
            for (size_t c = 0; c < a->cols; c += vl) {
                struct block b = {a->rows - r < vl ? a->rows - r : vl,
                                  a->cols - c < vl ? a->cols - c : vl,
                                  a->in + n * a->in_batch_stride + r * a->in_row_stride + c,
                                  a->in_row_stride,
                                  a->out + n * a->out_batch_stride + c * a->out_row_stride + r,
                                  a->out_row_stride};
                load_rows(&b);
                store_columns(&b);
            }
}

static void run(const struct sl_transpose_x8_args *args)
{
    if (has_few_rows(args) || has_few_columns(args))
        sl_streaming_run(by_structures, args);
    else
        sl_streaming_run_za(body, args);
}

const struct sl_transpose_x8 sl_transpose_x8_x8_vlxvl_sme2 = {
    .name = "sl_transpose_x8_x8_vlxvl_sme2",
    .needs = SL_ISA_SME2,
    .run = run,
};

/* kernels/layout/transpose_few_sme2.h: transposes of 2 to 4 rows or columns in streaming mode, by
 * stores that interleave and loads that take apart; of the elements and arguments that the
 * including file defines: SL_ELEMENT, ARGS, SV(verb) (svld1_u32 and the like), TUPLE(n), COUNT() of
 * a vector, WHILE(from, to). */
#pragma once

#include <arm_sme.h>
#include <arm_sve.h>
#include <stdbool.h>
#include <stddef.h>

/* 2 to 4 rows, dense output. */
static void few_rows(size_t rows, size_t cols, const SL_ELEMENT *in, size_t stride,
                     SL_ELEMENT *out) __arm_streaming
{
    for (size_t c = 0; c < cols; c += COUNT()) {
        svbool_t some = WHILE(c, cols);
        const SL_ELEMENT *at = in + c;
        VECTOR x = SV(ld1)(some, at), y = SV(ld1)(some, at + stride);
        if (rows == 2) {
            SV(st2)(some, out + 2 * c, SV(create2)(x, y));
            continue;
        }
        VECTOR z = SV(ld1)(some, at + 2 * stride);
        if (rows == 3)
            SV(st3)(some, out + 3 * c, SV(create3)(x, y, z));
        else
            SV(st4)(some, out + 4 * c, SV(create4)(x, y, z, SV(ld1)(some, at + 3 * stride)));
    }
}

/* 2 to 4 columns, dense input. */
static void few_columns(size_t rows, size_t cols, const SL_ELEMENT *in, SL_ELEMENT *out,
                        size_t stride) __arm_streaming
{
    for (size_t r = 0; r < rows; r += COUNT()) {
        svbool_t some = WHILE(r, rows);
        SL_ELEMENT *at = out + r;
        if (cols == 2) {
            TUPLE(2) x = SV(ld2)(some, in + 2 * r);
            SV(st1)(some, at, SV(get2)(x, 0));
            SV(st1)(some, at + stride, SV(get2)(x, 1));
        } else if (cols == 3) {
            TUPLE(3) x = SV(ld3)(some, in + 3 * r);
            SV(st1)(some, at, SV(get3)(x, 0));
            SV(st1)(some, at + stride, SV(get3)(x, 1));
            SV(st1)(some, at + 2 * stride, SV(get3)(x, 2));
        } else {
            TUPLE(4) x = SV(ld4)(some, in + 4 * r);
            SV(st1)(some, at, SV(get4)(x, 0));
            SV(st1)(some, at + stride, SV(get4)(x, 1));
            SV(st1)(some, at + 2 * stride, SV(get4)(x, 2));
            SV(st1)(some, at + 3 * stride, SV(get4)(x, 3));
        }
    }
}

static bool has_few_rows(const struct ARGS *a) __arm_streaming_compatible
{
    return a->rows >= 2 && a->rows <= 4 && a->out_row_stride == a->rows;
}

static bool has_few_columns(const struct ARGS *a) __arm_streaming_compatible
{
    return a->cols >= 2 && a->cols <= 4 && a->in_row_stride == a->cols;
}

static void by_structures(const void *pointer) __arm_streaming
{
    const struct ARGS *args = pointer;
    bool rows = has_few_rows(args);
    for (size_t b = 0; b < args->batch; b++) {
        const SL_ELEMENT *in = args->in + b * args->in_batch_stride;
        SL_ELEMENT *out = args->out + b * args->out_batch_stride;
        if (rows)
            few_rows(args->rows, args->cols, in, args->in_row_stride, out);
        else
            few_columns(args->rows, args->cols, in, out, args->out_row_stride);
    }
}

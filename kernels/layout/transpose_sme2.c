/* kernels/layout/transpose_sme2.c: 2-D transposes through ZA, and by interleaving stores and loads
 * where there are few rows or columns. */
#include <arm_sme.h>
#include <arm_sve.h>
#include <stdbool.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/layout/layout.h"
#include "kernels/layout/transpose_rows.h"

enum { MOST_ROWS = 2 * 64 }; /* of one job at the longest vector */

static void block_rows(const uint32_t **rows, const uint32_t *in, size_t stride,
                       size_t count) __arm_streaming __arm_inout("za")
{
    svbool_t all = svptrue_b64();
    svuint64_t start = svdup_u64((uint64_t)(uintptr_t)in), index = svindex_u64(0, 1);
    for (size_t i = 0; i < 2 * svcntw(); i += svcntd()) {
        svuint64_t row = svmin_n_u64_x(all, index, count - 1);
        svst1_u64(all, (uint64_t *)(void *)(rows + i),
                  svmla_n_u64_x(all, start, row, stride * sizeof(uint32_t)));
        index = svadd_n_u64_x(all, index, svcntd());
    }
}

static void through_za(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct sl_transpose_args *args = pointer;
    const uint32_t *rows[MOST_ROWS];
    size_t step = 2 * svcntw();
    for (size_t b = 0; b < args->batch; b++) {
        const uint32_t *in = args->in + b * args->in_batch_stride;
        uint32_t *out = args->out + b * args->out_batch_stride;
        for (size_t r = 0; r < args->rows; r += step) {
            size_t count = args->rows - r < step ? args->rows - r : step;
            block_rows(rows, in + r * args->in_row_stride, args->in_row_stride, count);
            struct sl_transpose_rows job = {rows, args->cols, out + r, args->out_row_stride, count};
            sl_transpose_rows_sme2_asm(&job);
        }
    }
}

/* 2 to 4 rows, dense output: structure stores interleave them. */
static void few_rows(size_t rows, size_t cols, const uint32_t *in, size_t stride,
                     uint32_t *out) __arm_streaming
{
    for (size_t c = 0; c < cols; c += svcntw()) {
        svbool_t some = svwhilelt_b32_u64(c, cols);
        const uint32_t *at = in + c;
        svuint32_t x = svld1_u32(some, at), y = svld1_u32(some, at + stride);
        if (rows == 2) {
            svst2_u32(some, out + 2 * c, svcreate2_u32(x, y));
            continue;
        }
        svuint32_t z = svld1_u32(some, at + 2 * stride);
        if (rows == 3)
            svst3_u32(some, out + 3 * c, svcreate3_u32(x, y, z));
        else
            svst4_u32(some, out + 4 * c, svcreate4_u32(x, y, z, svld1_u32(some, at + 3 * stride)));
    }
}

/* 2 to 4 columns, dense input: structure loads take them apart. */
static void few_columns(size_t rows, size_t cols, const uint32_t *in, uint32_t *out,
                        size_t stride) __arm_streaming
{
    for (size_t r = 0; r < rows; r += svcntw()) {
        svbool_t some = svwhilelt_b32_u64(r, rows);
        uint32_t *at = out + r;
        if (cols == 2) {
            svuint32x2_t x = svld2_u32(some, in + 2 * r);
            svst1_u32(some, at, svget2_u32(x, 0));
            svst1_u32(some, at + stride, svget2_u32(x, 1));
        } else if (cols == 3) {
            svuint32x3_t x = svld3_u32(some, in + 3 * r);
            svst1_u32(some, at, svget3_u32(x, 0));
            svst1_u32(some, at + stride, svget3_u32(x, 1));
            svst1_u32(some, at + 2 * stride, svget3_u32(x, 2));
        } else {
            svuint32x4_t x = svld4_u32(some, in + 4 * r);
            svst1_u32(some, at, svget4_u32(x, 0));
            svst1_u32(some, at + stride, svget4_u32(x, 1));
            svst1_u32(some, at + 2 * stride, svget4_u32(x, 2));
            svst1_u32(some, at + 3 * stride, svget4_u32(x, 3));
        }
    }
}

static bool has_few_rows(const struct sl_transpose_args *a) __arm_streaming_compatible
{
    return a->rows >= 2 && a->rows <= 4 && a->out_row_stride == a->rows;
}

static bool has_few_columns(const struct sl_transpose_args *a) __arm_streaming_compatible
{
    return a->cols >= 2 && a->cols <= 4 && a->in_row_stride == a->cols;
}

static void by_structures(const void *pointer) __arm_streaming
{
    const struct sl_transpose_args *args = pointer;
    bool rows = has_few_rows(args);
    for (size_t b = 0; b < args->batch; b++) {
        const uint32_t *in = args->in + b * args->in_batch_stride;
        uint32_t *out = args->out + b * args->out_batch_stride;
        if (rows)
            few_rows(args->rows, args->cols, in, args->in_row_stride, out);
        else
            few_columns(args->rows, args->cols, in, out, args->out_row_stride);
    }
}

static void run(const struct sl_transpose_args *args)
{
    if (args->rows == 0 || args->cols == 0)
        return;
    if (has_few_rows(args) || has_few_columns(args))
        sl_streaming_run(by_structures, args);
    else
        sl_streaming_run_za(through_za, args);
}

const struct sl_transpose sl_transpose_x32_x32_2vlx2vl_sme2 = {
    .name = "sl_transpose_x32_x32_2vlx2vl_sme2",
    .needs = SL_ISA_SME2,
    .run = run,
};

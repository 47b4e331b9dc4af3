/* kernels/layout/transpose_sme2.c: 2-D transposes through ZA, and by interleaving stores and loads
 * where there are few rows or columns. */
#include <arm_sme.h>
#include <arm_sve.h>
#include <stdbool.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/layout/layout.h"
#include "kernels/layout/transpose_rows.h"

#define SL_ELEMENT uint32_t
#define ARGS sl_transpose_args
#define VECTOR svuint32_t
#define TUPLE(n) svuint32x##n##_t
#define SV(verb) sv##verb##_u32
#define COUNT svcntw
#define WHILE svwhilelt_b32_u64
#include "kernels/layout/transpose_few_sme2.h"

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

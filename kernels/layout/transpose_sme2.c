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
#include "kernels/layout/transpose_few_sme2.inc"

static void through_za(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct sl_transpose_args *args = pointer;
    for (size_t b = 0; b < args->batch; b++) {
        struct sl_transpose_words job = {args->in + b * args->in_batch_stride,
                                         args->in_row_stride,
                                         args->out + b * args->out_batch_stride,
                                         args->out_row_stride,
                                         args->rows,
                                         args->cols};
        sl_transpose_words_sme2_asm(&job);
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

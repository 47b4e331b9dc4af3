/* kernels/layout/transpose_x16_sme2.c: transposes of 16-bit elements through ZA. */
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/layout/layout_x16.h"
#include "kernels/layout/transpose_halves.h"

#define SL_ELEMENT uint16_t
#define ARGS sl_transpose_x16_args
#define VECTOR svuint16_t
#define TUPLE(n) svuint16x##n##_t
#define SV(verb) sv##verb##_u16
#define COUNT svcnth
#define WHILE svwhilelt_b16_u64
#include "kernels/layout/transpose_few_sme2.inc"

static void through_za(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct sl_transpose_x16_args *a = pointer;
    size_t step = 2 * svcnth();
    for (size_t b = 0; b < a->batch; b++) {
        const uint16_t *in = a->in + b * a->in_batch_stride;
        uint16_t *out = a->out + b * a->out_batch_stride;
        for (size_t r = 0; r < a->rows; r += step) {
            size_t rows = a->rows - r < step ? a->rows - r : step;
            struct sl_transpose_halves job = {in + r * a->in_row_stride,
                                              a->in_row_stride,
                                              out + r,
                                              a->out_row_stride,
                                              rows,
                                              a->cols};
            sl_transpose_halves_sme2_asm(&job);
        }
    }
}

static void run(const struct sl_transpose_x16_args *args)
{
    if (args->rows == 0 || args->cols == 0)
        return;
    if (has_few_rows(args) || has_few_columns(args))
        sl_streaming_run(by_structures, args);
    else
        sl_streaming_run_za(through_za, args);
}

const struct sl_transpose_x16 sl_transpose_x16_x16_2vlxvl_sme2 = {
    .name = "sl_transpose_x16_x16_2vlxvl_sme2",
    .needs = SL_ISA_SME2,
    .run = run,
};

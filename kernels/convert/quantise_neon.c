/* kernels/convert/quantise_neon.c: rows to int8, 16 elements at a time. */
#include "kernels/convert/quantise_row_neon.h"
#include "kernels/cpu/isa.h"

static const struct sl_row_place plain = {16, 16};

static void run(size_t m, size_t k, const struct sl_rows *rows, int8_t *out, size_t out_stride,
                struct sl_row_params *out_params)
{
    for (size_t i = 0; i < m; i++, out += out_stride) {
        const void *row = sl_rows_at(rows, i);
        if (rows->type == SL_ROWS_F32)
            out_params[i] = sl_quantise_row_to(k, row, SL_ROWS_F32, plain, out);
        else
            out_params[i] = sl_quantise_row_to(k, row, SL_ROWS_F16, plain, out);
    }
}

const struct sl_quantise sl_quantise_qd8_rows_neon = {
    .name = "sl_quantise_qd8_rows_neon",
    .needs = SL_ISA_NEON,
    .run = run,
};

/* kernels/layout/transpose_scalar.c: portable transpose of 32-bit elements. */
#include "kernels/cpu/isa.h"
#include "kernels/layout/layout.h"

static void transpose(const struct sl_transpose_args *args)
{
    for (size_t b = 0; b < args->batch; b++) {
        const uint32_t *in = args->in + b * args->in_batch_stride;
        uint32_t *out = args->out + b * args->out_batch_stride;
        for (size_t c = 0; c < args->cols; c++)
            for (size_t r = 0; r < args->rows; r++)
                out[c * args->out_row_stride + r] = in[r * args->in_row_stride + c];
    }
}

const struct sl_transpose sl_transpose_x32_x32_1x1_scalar = {
    .name = "sl_transpose_x32_x32_1x1_scalar",
    .needs = SL_ISA_NONE,
    .run = transpose,
};

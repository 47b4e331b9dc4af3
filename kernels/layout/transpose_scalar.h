/* kernels/layout/transpose_scalar.h: portable transpose of elements of SL_ELEMENT, the kernel
 * KERNEL. */
#pragma once

#include "kernels/cpu/isa.h"

#define SL_TEXT_2(name) #name
#define SL_TEXT(name) SL_TEXT_2(name)

static void transpose(const struct SL_NAME(sl_transpose, _args) * args)
{
    for (size_t b = 0; b < args->batch; b++) {
        const SL_ELEMENT *in = args->in + b * args->in_batch_stride;
        SL_ELEMENT *out = args->out + b * args->out_batch_stride;
        for (size_t c = 0; c < args->cols; c++)
            for (size_t r = 0; r < args->rows; r++)
                out[c * args->out_row_stride + r] = in[r * args->in_row_stride + c];
    }
}

const struct SL_NAME(sl_transpose, ) KERNEL = {
    .name = SL_TEXT(KERNEL),
    .needs = SL_ISA_NONE,
    .run = transpose,
};

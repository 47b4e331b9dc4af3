/* kernels/matmul/matmul_bf16_scalar.c: portable matrix product of bfloat16. */
#include "kernels/cpu/half.h"
#include "kernels/matmul/matmul.h"

static inline float lhs_at(const struct sl_matmul_args *args, size_t row, size_t k)
{
    size_t at = row * args->lhs_stride + k;
    if (args->lhs_is_f32)
        return sl_bfloat_to_float(sl_bfloat_from_float(((const float *)args->lhs)[at]));
    return sl_bfloat_to_float(((const uint16_t *)args->lhs)[at]);
}

#define LHS_AT lhs_at
#define SL_TYPE bf16
#define KERNEL sl_matmul_f32_bf16_f32p8x1_4x8_scalar
#include "kernels/matmul/matmul_scalar.inc"

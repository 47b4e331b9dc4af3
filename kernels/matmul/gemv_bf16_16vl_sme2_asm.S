/* kernels/matmul/gemv_bf16_16vl_sme2_asm.S: one row times weights, see gemv_16vl_sme2_asm.inc. */
#include "kernels/cpu/asm.h"

#define GEMV_FUNCTION sl_gemv_bf16_sme2_asm
#define ACCUMULATE bfdot
#define T h
#define DEPTH 2
#define HALF_RESULT 0
#include "kernels/matmul/gemv_16vl_sme2_asm.inc"

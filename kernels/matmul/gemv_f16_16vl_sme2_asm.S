/* kernels/matmul/gemv_f16_16vl_sme2_asm.S: one row times weights, see gemv_16vl_sme2_asm.inc. */
#include "kernels/cpu/asm.h"

#define GEMV_FUNCTION sl_gemv_f16_sme2_asm
#define ACCUMULATE fdot
#define T h
#define DEPTH 2
#define HALF_RESULT 1
#include "kernels/matmul/gemv_16vl_sme2_asm.inc"

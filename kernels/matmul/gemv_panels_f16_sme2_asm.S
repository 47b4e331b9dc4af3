/* kernels/matmul/gemv_panels_f16_sme2_asm.S: one row times panels, see gemv_panels_sme2_asm.inc. */
#include "kernels/cpu/asm.h"

#define GEMV_FUNCTION sl_gemv_panels_f16_sme2_asm
#define ACCUMULATE fdot
#define T h
#define DEPTH 2
#define HALF_RESULT 1
#include "kernels/matmul/gemv_panels_sme2_asm.inc"

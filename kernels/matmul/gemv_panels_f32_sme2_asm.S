/* kernels/matmul/gemv_panels_f32_sme2_asm.S: one row times panels, see gemv_panels_sme2_asm.inc. */
#include "kernels/cpu/asm.h"

#define GEMV_FUNCTION sl_gemv_panels_f32_sme2_asm
#define ACCUMULATE fmla
#define T s
#define DEPTH 1
#define HALF_RESULT 0
#include "kernels/matmul/gemv_panels_sme2_asm.inc"

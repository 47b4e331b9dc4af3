/* kernels/layout/transpose_x32_sme2_asm.S: rows to columns, see transpose_rows_sme2_asm.inc. */
#include "kernels/cpu/asm.h"

#define TRANSPOSE_FUNCTION sl_transpose_rows_sme2_asm
#define LOAD ld1w
#define T s
#define SHIFT 2
#include "kernels/layout/transpose_rows_sme2_asm.inc"

/* kernels/layout/transpose_pairs_sme2_asm.S: rows to columns, see transpose_rows_sme2_asm.inc. */
#include "kernels/cpu/asm.h"

#define TRANSPOSE_FUNCTION sl_transpose_pairs_sme2_asm
#define LOAD ld1h
#define T h
#define SHIFT 1
#include "kernels/layout/transpose_rows_sme2_asm.inc"

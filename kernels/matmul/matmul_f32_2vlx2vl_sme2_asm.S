/* kernels/matmul/matmul_f32_2vlx2vl_sme2_asm.S: outer products of f32, see mopa_2vlx2vl_sme2_asm.inc. */
#include "kernels/cpu/asm.h"

#define MOPA_FUNCTION sl_mopa_f32_sme2_asm
#define MOPA fmopa
#define LOAD ld1w
#define T s
#include "kernels/matmul/mopa_store_f32_sme2_asm.inc"

#include "kernels/matmul/mopa_2vlx2vl_sme2_asm.inc"

/* kernels/matmul/matmul_f16_2vlx2vl_sme2_asm.S: outer products of f16, see mopa_2vlx2vl_sme2_asm.inc. */
#include "kernels/cpu/asm.h"

#define MOPA_FUNCTION sl_mopa_f16_sme2_asm
#define MOPA fmopa
#define LOAD ld1h
#define T h
#include "kernels/matmul/mopa_store_f16_sme2_asm.inc"

#include "kernels/matmul/mopa_2vlx2vl_sme2_asm.inc"

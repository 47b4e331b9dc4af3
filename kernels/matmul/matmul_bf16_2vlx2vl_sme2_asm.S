/* kernels/matmul/matmul_bf16_2vlx2vl_sme2_asm.S: outer products of bf16, see mopa_2vlx2vl_sme2_asm.inc. */
#include "kernels/cpu/asm.h"

#define MOPA_FUNCTION sl_mopa_bf16_sme2_asm
#define MOPA bfmopa
#define LOAD ld1h
#define T h
#include "kernels/matmul/mopa_store_f32_sme2_asm.inc"

#include "kernels/matmul/mopa_2vlx2vl_sme2_asm.inc"

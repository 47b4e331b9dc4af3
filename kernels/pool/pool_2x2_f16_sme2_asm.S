/* kernels/pool/pool_2x2_f16_sme2_asm.S: largest halves of 2x2 windows, see pool_2x2_sme2_asm.inc. */
#include "kernels/cpu/asm.h"

#define POOL_FUNCTION sl_pool_max_2x2_f16_sme2_asm
#define LOAD ld1h
#define STORE st1h
#define T h
#define COUNT cnth
#define SHIFT 1

.macro keep_bounds
    ldp s8, s9, [x0, #40]
    fcvt h8, s8
    fcvt h9, s9
    str h8, [sp, #112]
    str h9, [sp, #114]
.endm

.macro load_bounds low, high
    ld1rh {\low\().h}, p0/z, [sp, #112]
    ld1rh {\high\().h}, p0/z, [sp, #114]
.endm

#include "kernels/pool/pool_2x2_sme2_asm.inc"

/* kernels/pool/pool_2x2_f32_sme2_asm.S: largest floats of 2x2 windows, see pool_2x2_sme2_asm.inc. */
#include "kernels/cpu/asm.h"

#define POOL_FUNCTION sl_pool_max_2x2_f32_sme2_asm
#define LOAD ld1w
#define STORE st1w
#define T s
#define COUNT cntw
#define SHIFT 2

.macro keep_bounds
    ldr x7, [x0, #40]
    str x7, [sp, #112]
.endm

.macro load_bounds low, high
    ld1rw {\low\().s}, p0/z, [sp, #112]
    ld1rw {\high\().s}, p0/z, [sp, #116]
.endm

#include "kernels/pool/pool_2x2_sme2_asm.inc"

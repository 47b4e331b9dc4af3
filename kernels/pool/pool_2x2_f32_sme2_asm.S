/* kernels/pool/pool_2x2_f32_sme2_asm.S: largest floats of 2x2 windows, see pool_2x2_sme2_asm.inc. */
#include "kernels/cpu/asm.h"

#define POOL_FUNCTION sl_pool_max_2x2_f32_sme2_asm
#define LOAD ld1w
#define STORE st1w
#define T s
#define COUNT cntw
#define SHIFT 2

.macro load_bounds
    ptrue p0.s
    ld1rw {z8.s}, p0/z, [x0, #40]
    ld1rw {z9.s}, p0/z, [x0, #44]
.endm

#include "kernels/pool/pool_2x2_sme2_asm.inc"

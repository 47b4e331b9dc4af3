/* kernels/unary/clamp_sme2_asm.S: clamps of floats, see clamp_sme2_asm.inc. */
#include "kernels/cpu/asm.h"

#define CLAMP_FUNCTION sl_unary_clamp_sme2_asm
#define LOAD ld1w
#define STORE st1w
#define T s
#define COUNT cntw
#define SHIFT 2

.macro load_bounds
    ld1rw {z8.s}, p0/z, [x0, #24]
    ld1rw {z9.s}, p0/z, [x0, #28]
.endm

#include "kernels/unary/clamp_sme2_asm.inc"

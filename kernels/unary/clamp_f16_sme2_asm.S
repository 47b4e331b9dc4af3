/* kernels/unary/clamp_f16_sme2_asm.S: clamps of halves, see clamp_sme2_asm.inc. */
#include "kernels/cpu/asm.h"

#define CLAMP_FUNCTION sl_unary_clamp_f16_sme2_asm
#define LOAD ld1h
#define STORE st1h
#define T h
#define COUNT cnth
#define SHIFT 1

.macro load_bounds
    ldp s8, s9, [x0, #24]
    fcvt h8, s8
    fcvt h9, s9
    mov z8.h, h8
    mov z9.h, h9
.endm

#include "kernels/unary/clamp_sme2_asm.inc"

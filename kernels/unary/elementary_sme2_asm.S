/* kernels/unary/elementary_sme2_asm.S: the exponential family of f32, see elementary_sme2_asm.inc. */
#include "kernels/cpu/asm.h"

#define FUNCTION(verb) sl_##verb##_sme2_asm

.macro while_some pn, at
    whilelt \pn\().s, \at, x1, vlx4
.endm

.macro load_quad a, b, c, d, pn, at
    ld1w {z\a\().s-z\d\().s}, \pn/z, [x2, \at, lsl #2]
.endm

.macro store_quad a, b, c, d, pn, at
    st1w {z\a\().s-z\d\().s}, \pn, [x3, \at, lsl #2]
.endm

#include "kernels/unary/elementary_sme2_asm.inc"

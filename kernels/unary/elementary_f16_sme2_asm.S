/* kernels/unary/elementary_f16_sme2_asm.S: the exponential family of halves, computed in f32, see
 * elementary_sme2_asm.inc. Of each vector of halves the even ones become a vector of floats, the odd
 * ones the next. */
#include "kernels/cpu/asm.h"

#define FUNCTION(verb) sl_##verb##_f16_sme2_asm

.macro while_some pn, at
    whilelt \pn\().h, \at, x1, vlx2
.endm

.macro load_quad a, b, c, d, pn, at
    ld1h {z\a\().h-z\b\().h}, \pn/z, [x2, \at, lsl #1]
    fcvtlt z\d\().s, p0/m, z\b\().h
    fcvt z\c\().s, p0/m, z\b\().h
    fcvtlt z\b\().s, p0/m, z\a\().h
    fcvt z\a\().s, p0/m, z\a\().h
.endm

.macro store_quad a, b, c, d, pn, at
    fcvt z\a\().h, p0/m, z\a\().s
    fcvtnt z\a\().h, p0/m, z\b\().s
    fcvt z\b\().h, p0/m, z\c\().s
    fcvtnt z\b\().h, p0/m, z\d\().s
    st1h {z\a\().h-z\b\().h}, \pn, [x3, \at, lsl #1]
.endm

#include "kernels/unary/elementary_sme2_asm.inc"

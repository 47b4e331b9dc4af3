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

.macro z15_without_sign
    mov z15.s, #0x7fffffff
.endm

.macro store_with_sign
    load_quad 16, 17, 18, 19, pn8, x5
    bsl z0.d, z0.d, z16.d, z15.d
    bsl z1.d, z1.d, z17.d, z15.d
    bsl z2.d, z2.d, z18.d, z15.d
    bsl z3.d, z3.d, z19.d, z15.d
    store_quad 0, 1, 2, 3, pn8, x5
.endm

#include "kernels/unary/elementary_sme2_asm.inc"

/* kernels/unary/elementary_f16_sme2_asm.S: the exponential family of halves, computed in f32, see
 * elementary_sme2_asm.inc. Of each vector of halves the even ones become a vector of floats, the odd
 * ones the next. */
#include "kernels/cpu/asm.h"
#include "kernels/cpu/halves_sme2_asm.inc"

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

#define OWN_POWERS /* power_f16_sme2_asm.S */
#define OWN_GELU /* gelu_f16_sme2_asm.S */
#define OWN_HARDSWISH
#include "kernels/unary/elementary_sme2_asm.inc"

// (x c + 3 x) / 6 with c = min(max(x, -3), 3), eight vectors a turn: FMLAL sums exact products in f32,
// even elements in one group of ZA and odd ones in the next.
.macro hardswish_sums x, c, some, at, groups
    ld1h {\x}, \some/z, [x2, \at, lsl #1]
    ld1h {\c}, \some/z, [x2, \at, lsl #1]
    fmax {\c}, {\c}, z9.h
    fmin {\c}, {\c}, z10.h
    fmlal za.s[w8, \groups, vgx4], {\x}, {\c}
    fmlal za.s[w8, \groups, vgx4], {\x}, z10.h
.endm

.macro hardswish_turn some, more, at, next
    zero {za}
    hardswish_sums z0.h-z3.h, z4.h-z7.h, \some, \at, 0:1
    hardswish_sums z16.h-z19.h, z20.h-z23.h, \more, \next, 2:3
    store_scaled_halves \some, 0, 1, z12, \at
    store_scaled_halves \more, 2, 3, z12, \next
.endm

function_begin FUNCTION(hardswish)
    begin
    mov z12.s, z8.s[0]          // 1/6
    fmov z9.h, #-3.0
    fmov z10.h, #3.0
    ptrue pn8.h
    cnth x6, all, mul #4
    lsl x9, x6, #1
    udiv x10, x1, x9
    mul x10, x10, x9            // elements in whole turns
    mov x7, x6
    cbz x10, 2f
1:  hardswish_turn pn8, pn8, x5, x7
    add x7, x7, x9
    add x5, x5, x9
    cmp x5, x10
    b.lo 1b
2:  cmp x5, x1
    b.eq 9f
    whilelt pn9.h, x5, x1, vlx4
    whilelt pn10.h, x7, x1, vlx4
    hardswish_turn pn9, pn10, x5, x7
9:  ret
function_end FUNCTION(hardswish)

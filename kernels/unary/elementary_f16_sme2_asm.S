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

.macro narrow_quad a, b, c, d
    fcvt z\a\().h, p0/m, z\a\().s
    fcvtnt z\a\().h, p0/m, z\b\().s
    fcvt z\b\().h, p0/m, z\c\().s
    fcvtnt z\b\().h, p0/m, z\d\().s
.endm

.macro store_quad a, b, c, d, pn, at
    narrow_quad \a, \b, \c, \d
    st1h {z\a\().h-z\b\().h}, \pn, [x3, \at, lsl #1]
.endm

.macro z15_without_sign
    mov z15.h, #0x7fff
.endm

.macro store_with_sign
    narrow_quad 0, 1, 2, 3
    ld1h {z16.h-z17.h}, pn8/z, [x2, x5, lsl #1]
    bsl z0.d, z0.d, z16.d, z15.d
    bsl z1.d, z1.d, z17.d, z15.d
    st1h {z0.h-z1.h}, pn8, [x3, x5, lsl #1]
.endm

#define OWN_POWERS /* power_f16_sme2_asm.S */
#define OWN_GELU /* gelu_f16_sme2_asm.S */
#define OWN_HARDSWISH
#include "kernels/unary/elementary_sme2_asm.inc"

// x / 6 * min(max(x + 3, 0), 6) in half precision, each step rounded as XNNPACK rounds it; bounds are those
// of the bits as integers. 32 vectors a turn.
.macro hardswish_of a0, a1, a2, a3, x0, x1, x2, x3
    fadd z\a0\().h, z\x0\().h, z8.h
    fadd z\a1\().h, z\x1\().h, z8.h
    fadd z\a2\().h, z\x2\().h, z8.h
    fadd z\a3\().h, z\x3\().h, z8.h
    sclamp {z\a0\().h-z\a3\().h}, z10.h, z11.h
    fmul z\x0\().h, z\x0\().h, z9.h
    fmul z\x1\().h, z\x1\().h, z9.h
    fmul z\x2\().h, z\x2\().h, z9.h
    fmul z\x3\().h, z\x3\().h, z9.h
    fmul z\x0\().h, z\x0\().h, z\a0\().h
    fmul z\x1\().h, z\x1\().h, z\a1\().h
    fmul z\x2\().h, z\x2\().h, z\a2\().h
    fmul z\x3\().h, z\x3\().h, z\a3\().h
.endm

// Eight vectors from vector \at, which is \next - 4, on.
.macro hardswish_eight at, next
    ld1h {z0.h-z3.h}, pn8/z, [x2, #\at, mul vl]
    ld1h {z16.h-z19.h}, pn8/z, [x2, #\next, mul vl]
    hardswish_of 4, 5, 6, 7, 0, 1, 2, 3
    hardswish_of 20, 21, 22, 23, 16, 17, 18, 19
    st1h {z0.h-z3.h}, pn8, [x3, #\at, mul vl]
    st1h {z16.h-z19.h}, pn8, [x3, #\next, mul vl]
.endm

function_begin FUNCTION(hardswish)
    ldp x1, x2, [x0]            // elements, in
    ldr x3, [x0, #16]           // out
    ptrue pn8.h
    fmov z8.h, #3.0
    mov w6, #0x3155             // 1/6
    mov z9.h, w6
    mov z10.h, #0
    fmov z11.h, #6.0
    cnth x6, all, mul #16
    lsl x6, x6, #1              // elements of 32 vectors
    udiv x5, x1, x6
    cbz x5, 2f
    msub x1, x5, x6, x1         // those behind the whole turns
    lsl x6, x6, #1
1:  hardswish_eight 0, 4
    hardswish_eight 8, 12
    hardswish_eight 16, 20
    hardswish_eight 24, 28
    add x2, x2, x6
    add x3, x3, x6
    subs x5, x5, #1
    b.ne 1b
2:  cnth x6, all, mul #4
    mov x5, xzr
    cbz x1, 4f
3:  whilelt pn9.h, x5, x1, vlx4
    ld1h {z0.h-z3.h}, pn9/z, [x2, x5, lsl #1]
    hardswish_of 4, 5, 6, 7, 0, 1, 2, 3
    st1h {z0.h-z3.h}, pn9, [x3, x5, lsl #1]
    add x5, x5, x6
    cmp x5, x1
    b.lo 3b
4:  ret
function_end FUNCTION(hardswish)

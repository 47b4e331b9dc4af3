/* kernels/unary/gelu_f16_sme2_asm.S: x Phi(x) of halves, four vectors a turn, computed in f32 and rounded
 * once.
 *
 * sl_gelu_f16_sme2_asm(const struct sl_elementary *), in streaming mode with ZA on. It is x - min(x, 0) - t
 * Phi(-t) with t = |x|, at most 5.8, where the product is less than half of the smallest half; log2
 * Phi(-t) is a polynomial of degree 6 in t, fitted for the least error in units of the result (0.008). The
 * sign is that of x: of -0 the sum is 0.
 * The power of 2 is that of power_f16_sme2_asm.S. FMLAL widens halves, even elements into one group of ZA
 * and odd ones into the next. The table: the coefficients of Phi from the highest to the first, c0
 * of 2^f, then c4 c3 c2 c1 - 1, and 5.8. z8 to z10 coefficients, z11 all but a half's sign, z12 5.8, z13
 * 23, z14 0, z15 1, z28-z31 ones; z4-z7 and z20-z23 t, even and odd, z16-z19 and z24-z27 t^2 and what comes
 * after. */
#include "kernels/cpu/asm.h"

#define GROUP(i) za.s[w8, i, vgx4]
#define GROUP_D(i) za.d[w8, i, vgx4]
#define ONES {z28.s-z31.s}

.macro begin
    ldp x1, x2, [x0]            // elements, in
    ldp x3, x4, [x0, #16]       // out, table
    ptrue p0.s
    ptrue p1.h
    ptrue pn8.h
    ld1rqw {z8.s}, p0/z, [x4]
    ld1rqw {z9.s}, p0/z, [x4, #16]
    ld1rqw {z10.s}, p0/z, [x4, #32]
    mov z11.h, #0x7fff
    ldr s0, [x4, #48]
    fcvt h0, s0
    mov z12.h, h0
    mov z13.s, #23
    mov z14.h, #0
    fmov z15.h, #1.0
    fmov z28.s, #1.0
    fmov z29.s, #1.0
    fmov z30.s, #1.0
    fmov z31.s, #1.0
    mov w8, wzr
    mov w12, wzr
    cntw x13
    add w14, w13, w13
    add w15, w14, w13
    mov x5, xzr
    cnth x6, all, mul #4
.endm

.macro absolute_values
    fabs z0.h, p1/m, z0.h
    fabs z1.h, p1/m, z1.h
    fabs z2.h, p1/m, z2.h
    fabs z3.h, p1/m, z3.h
    fmin {z0.h-z3.h}, {z0.h-z3.h}, z12.h
.endm

// GROUP(\to) = log2 Phi(-t), \s being t^2. Groups 0, 1 and \to are 0.
.macro logarithm to, t, s
    fmla GROUP(0), {\s}, z8.s[0]
    fmla GROUP(0), {\t}, z8.s[1]
    fmla GROUP(0), ONES, z8.s[2]
    mova {z0.d-z3.d}, GROUP_D(0)
    fmla GROUP(1), {z0.s-z3.s}, {\s}
    fmla GROUP(1), {\t}, z8.s[3]
    fmla GROUP(1), ONES, z9.s[0]
    mova {z0.d-z3.d}, GROUP_D(1)
    fmla GROUP(\to), {z0.s-z3.s}, {\s}
    fmla GROUP(\to), {\t}, z9.s[1]
    fmla GROUP(\to), ONES, z9.s[2]
    zero {za0.s, za1.s}
.endm

// GROUP(\at) = 2^GROUP(\at). Groups 0 and 1 are 0 before and after.
.macro power at
    mova {z0.d-z3.d}, GROUP_D(\at)
    frintn {z16.s-z19.s}, {z0.s-z3.s}
    fsub GROUP(\at), {z16.s-z19.s}
    mova {z0.d-z3.d}, GROUP_D(\at)
    fmla GROUP(0), {z0.s-z3.s}, {z0.s-z3.s}
    mova {z24.d-z27.d}, GROUP_D(0)
    fmla GROUP(1), {z24.s-z27.s}, z10.s[0]
    fmla GROUP(1), {z0.s-z3.s}, z10.s[1]
    fmla GROUP(1), ONES, z10.s[2]
    fmla GROUP(\at), {z0.s-z3.s}, z10.s[3]
    mova {z0.d-z3.d}, GROUP_D(1)
    fmla GROUP(\at), {z0.s-z3.s}, {z24.s-z27.s}
    fmla GROUP(\at), ONES, z9.s[3]
    fcvtzs {z16.s-z19.s}, {z16.s-z19.s}
    srshl {z16.s-z19.s}, {z16.s-z19.s}, z13.s
    add GROUP(\at), {z16.s-z19.s}
    zero {za0.s, za1.s}
.endm

// Vector \i of groups 0 and 1, to halves.
.macro narrow index, to
    mova {z0.b-z1.b}, za0h.b[\index, 0:1]
    fcvtn \to\().h, {z0.s-z1.s}
.endm

.macro turn some
    ld1h {z0.h-z3.h}, \some/z, [x2, x5, lsl #1]
    absolute_values
    zero {za}
    fmlal za.s[w8, 0:1, vgx4], {z0.h-z3.h}, z15.h
    fmlal za.s[w8, 2:3, vgx4], {z0.h-z3.h}, {z0.h-z3.h}
    mova {z4.d-z7.d}, GROUP_D(0)
    mova {z20.d-z23.d}, GROUP_D(1)
    mova {z16.d-z19.d}, GROUP_D(2)
    mova {z24.d-z27.d}, GROUP_D(3)
    zero {za}
    logarithm 2, z4.s-z7.s, z16.s-z19.s
    logarithm 3, z20.s-z23.s, z24.s-z27.s
    power 2
    power 3
    ld1h {z0.h-z3.h}, \some/z, [x2, x5, lsl #1]
    fmlal za.s[w8, 0:1, vgx4], {z0.h-z3.h}, z15.h
    fmin {z0.h-z3.h}, {z0.h-z3.h}, z14.h
    fmlsl za.s[w8, 0:1, vgx4], {z0.h-z3.h}, z15.h
    mova {z16.d-z19.d}, GROUP_D(2)
    mova {z24.d-z27.d}, GROUP_D(3)
    fmls GROUP(0), {z4.s-z7.s}, {z16.s-z19.s}
    fmls GROUP(1), {z20.s-z23.s}, {z24.s-z27.s}
    narrow w12, z16
    narrow w13, z17
    narrow w14, z18
    narrow w15, z19
    ld1h {z0.h-z3.h}, \some/z, [x2, x5, lsl #1]
    bsl z16.d, z16.d, z0.d, z11.d
    bsl z17.d, z17.d, z1.d, z11.d
    bsl z18.d, z18.d, z2.d, z11.d
    bsl z19.d, z19.d, z3.d, z11.d
    st1h {z16.h-z19.h}, \some, [x3, x5, lsl #1]
    add x5, x5, x6
.endm

function_begin sl_gelu_f16_sme2_asm
    begin
    udiv x10, x1, x6
    mul x10, x10, x6            // elements in whole turns
    cbz x10, 2f
1:  turn pn8
    cmp x5, x10
    b.lo 1b
2:  whilelt pn9.h, x5, x1, vlx4
    b.pl 9f
    turn pn9
9:  ret
function_end sl_gelu_f16_sme2_asm

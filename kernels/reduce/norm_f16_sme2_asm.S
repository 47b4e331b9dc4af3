/* kernels/reduce/norm_f16_sme2_asm.S: layer norm of rows of halves, eight vectors a turn. The readable form
 * is that of reduce_scalar.h.
 *
 * sl_layer_norm_rows_f16_sme2_asm(const struct sl_reduce_f16_args *), in streaming mode with ZA on.
 * Products of halves are exact in f32, and FMLAL sums four vectors of them into two groups of ZA, even
 * and odd columns. A row is read for its sum and its sum of squares; where the mean is so large that
 * their difference would lose the variance, again, less the mean's half (what is near the mean loses
 * nothing by that); and for the result: (x w - m w + b s) / s, with the mean m and the deviation s as
 * sums of two halves each. A deviation too small for halves has its bias added at the end instead.
 * z10 z11 mean, z12 z13 deviation, z14 1 / deviation, z15 and z28-z31 ones; s8 1 / elements, s9 eps,
 * s24 17, s25 1, s27 the smallest deviation. */
#include "kernels/cpu/asm.h"

#define GROUPS(a, b) za.s[w8, a:b, vgx4]

.macro sums_of some, more, at, next
    ld1h {z0.h-z3.h}, \some/z, [x2, \at, lsl #1]
    ld1h {z4.h-z7.h}, \more/z, [x2, \next, lsl #1]
.endm

.macro add_sums
    fmlal GROUPS(0, 1), {z0.h-z3.h}, z15.h
    fmlal GROUPS(2, 3), {z0.h-z3.h}, {z0.h-z3.h}
    fmlal GROUPS(0, 1), {z4.h-z7.h}, z15.h
    fmlal GROUPS(2, 3), {z4.h-z7.h}, {z4.h-z7.h}
.endm

.macro subtract_mean
    fsub z0.h, z0.h, z10.h
    fsub z1.h, z1.h, z10.h
    fsub z2.h, z2.h, z10.h
    fsub z3.h, z3.h, z10.h
    fsub z4.h, z4.h, z10.h
    fsub z5.h, z5.h, z10.h
    fsub z6.h, z6.h, z10.h
    fsub z7.h, z7.h, z10.h
.endm

// s0 = the sum of two groups, divided by the number of elements.
.macro average_of first, second
    mova {z0.d-z3.d}, za.d[w8, \first, vgx4]
    fadd za.s[w8, \second, vgx4], {z0.s-z3.s}
    mova {z0.d-z3.d}, za.d[w8, \second, vgx4]
    fadd z0.s, z0.s, z1.s
    fadd z2.s, z2.s, z3.s
    fadd z0.s, z0.s, z2.s
    faddv s0, p0, z0.s
    fmul s0, s0, s8
.endm

// \upper and \lower, halves: together the float \of. Uses s0.
.macro two_halves of, upper, lower
    fcvt h0, \of
    mov \upper\().h, h0
    fcvt s0, h0
    fsub s0, \of, s0
    fcvt h0, s0
    mov \lower\().h, h0
.endm

// \biased: 1, b s before the division; 2, b after it.
.macro products some, at, first, second, weighted, biased
    ld1h {z0.h-z3.h}, \some/z, [x2, \at, lsl #1]
    .if \weighted
    ld1h {z4.h-z7.h}, \some/z, [x11, \at, lsl #1]
    fmlal GROUPS(\first, \second), {z0.h-z3.h}, {z4.h-z7.h}
    fmlsl GROUPS(\first, \second), {z4.h-z7.h}, z10.h
    fmlsl GROUPS(\first, \second), {z4.h-z7.h}, z11.h
    .else
    fmlal GROUPS(\first, \second), {z0.h-z3.h}, z15.h
    fmlsl GROUPS(\first, \second), {z28.h-z31.h}, z10.h
    fmlsl GROUPS(\first, \second), {z28.h-z31.h}, z11.h
    .endif
    .if \biased == 1
    ld1h {z20.h-z23.h}, \some/z, [x12, \at, lsl #1]
    fmlal GROUPS(\first, \second), {z20.h-z23.h}, z12.h
    fmlal GROUPS(\first, \second), {z20.h-z23.h}, z13.h
    .endif
.endm

.macro add_bias even, odd, bias
    fcvt z26.s, p0/m, \bias\().h
    fadd \even\().s, \even\().s, z26.s
    fcvtlt z26.s, p0/m, \bias\().h
    fadd \odd\().s, \odd\().s, z26.s
.endm

.macro results some, at, first, second, biased
    mova {z0.d-z3.d}, za.d[w8, \first, vgx4]
    mova {z4.d-z7.d}, za.d[w8, \second, vgx4]
    fmul z16.s, z0.s, z14.s
    fmul z17.s, z4.s, z14.s
    fmul z18.s, z1.s, z14.s
    fmul z19.s, z5.s, z14.s
    fmul z20.s, z2.s, z14.s
    fmul z21.s, z6.s, z14.s
    fmul z22.s, z3.s, z14.s
    fmul z23.s, z7.s, z14.s
    .if \biased == 2
    ld1h {z4.h-z7.h}, \some/z, [x12, \at, lsl #1]
    add_bias z16, z17, z4
    add_bias z18, z19, z5
    add_bias z20, z21, z6
    add_bias z22, z23, z7
    .endif
    fcvtn z0.h, {z16.s-z17.s}
    fcvtn z1.h, {z18.s-z19.s}
    fcvtn z2.h, {z20.s-z21.s}
    fcvtn z3.h, {z22.s-z23.s}
    st1h {z0.h-z3.h}, \some, [x3, \at, lsl #1]
.endm

.macro turn some, more, at, next, weighted, biased
    zero {za}
    products \some, \at, 0, 1, \weighted, \biased
    products \more, \next, 2, 3, \weighted, \biased
    results \some, \at, 0, 1, \biased
    results \more, \next, 2, 3, \biased
.endm

.macro normalise_row weighted, biased
    cbz x7, 2f
    mov x5, xzr
    mov x9, x6
1:  turn pn8, pn8, x5, x9, \weighted, \biased
    add x9, x9, x15
    add x5, x5, x15
    cmp x5, x7
    b.lo 1b
2:  cbz x10, 60f
    turn pn9, pn10, x7, x16, \weighted, \biased
    b 60f
.endm

function_begin sl_layer_norm_rows_f16_sme2_asm
    ldp x4, x1, [x0]            // rows, elements of each
    ldp x2, x3, [x0, #24]       // in, out
    ldr s9, [x0, #44]           // eps
    ldp x11, x12, [x0, #48]     // weight, bias
    ldp x13, x14, [x0, #64]     // mean, 1 / deviation
    cbz x4, 90f
    cbz x1, 90f
    ptrue p0.s
    ptrue pn8.h
    fmov z15.h, #1.0
    fmov z28.h, #1.0
    fmov z29.h, #1.0
    fmov z30.h, #1.0
    fmov z31.h, #1.0
    fmov s25, #1.0
    fmov s24, #17.0
    mov w5, #0x3b000000         // 2^-9
    fmov s27, w5
    ucvtf s8, x1
    fdiv s8, s25, s8
    mov w8, wzr
    cnth x6, all, mul #4
    lsl x15, x6, #1
    udiv x7, x1, x15
    mul x7, x7, x15             // elements in whole turns
    add x16, x7, x6
    whilelt pn9.h, x7, x1, vlx4 // those behind
    whilelt pn10.h, x16, x1, vlx4
    sub x10, x1, x7
10: zero {za}
    cbz x7, 12f
    mov x5, xzr
    mov x9, x6
11: sums_of pn8, pn8, x5, x9
    add_sums
    add x9, x9, x15
    add x5, x5, x15
    cmp x5, x7
    b.lo 11b
12: cbz x10, 13f
    sums_of pn9, pn10, x7, x16
    add_sums
13: average_of 2, 3
    fmov s18, s0
    average_of 0, 1
    fmov s17, s0                // mean
    fmsub s19, s17, s17, s18    // variance
    fmul s20, s19, s24
    two_halves s17, z10, z11
    fcmp s18, s20
    b.gt 40f
15: fadd s19, s19, s9
    fsqrt s19, s19
    fdiv s20, s25, s19
    two_halves s19, z12, z13
    mov z14.s, s20
    cbz x13, 20f
    str h10, [x13], #2
20: cbz x14, 30f
    fcvt h20, s20
    str h20, [x14], #2
30: cbz x12, 35f
    fcmp s19, s27
    b.lt 33f
    cbz x11, 31f
    normalise_row 1, 1
31: normalise_row 0, 1
33: cbz x11, 34f
    normalise_row 1, 2
34: normalise_row 0, 2
35: cbz x11, 36f
    normalise_row 1, 0
36: normalise_row 0, 0
40: // the variance again, and the rest of the mean
    zero {za}
    mov x5, xzr
    cbz x7, 42f
41: add x9, x5, x6
    sums_of pn8, pn8, x5, x9
    subtract_mean
    add_sums
    add x5, x5, x15
    cmp x5, x7
    b.lo 41b
42: cbz x10, 43f
    mov z16.d, z10.d            // what is behind the row: the mean, which leaves 0
    mov z17.d, z10.d
    mov z18.d, z10.d
    mov z19.d, z10.d
    sums_of pn9, pn10, x7, x16
    sel {z0.h-z3.h}, pn9, {z0.h-z3.h}, {z16.h-z19.h}
    sel {z4.h-z7.h}, pn10, {z4.h-z7.h}, {z16.h-z19.h}
    subtract_mean
    add_sums
43: average_of 2, 3
    fmov s18, s0
    average_of 0, 1
    fmsub s19, s0, s0, s18
    fmov s18, wzr
    fmax s19, s19, s18
    fcvt h0, s0
    mov z11.h, h0
    b 15b
60: add x2, x2, x1, lsl #1
    add x3, x3, x1, lsl #1
    subs x4, x4, #1
    b.ne 10b
90: ret
function_end sl_layer_norm_rows_f16_sme2_asm

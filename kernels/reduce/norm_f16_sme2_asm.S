/* kernels/reduce/norm_f16_sme2_asm.S: layer norm of rows of halves, eight vectors a turn. The readable form
 * is that of reduce_scalar.inc.
 *
 * sl_layer_norm_rows_f16_sme2_asm(const struct sl_reduce_f16_args *), in streaming mode with ZA on.
 * Products of halves are exact in f32: FDOT sums four vectors of them, and their squares, into a group of ZA each.
 * A row is read for its sum and its sum of squares; where the mean is so large that
 * their difference would lose the variance, again, less the mean's half (what is near the mean loses
 * nothing by that); and for the result. That is x w - m w, with the mean m as a sum of two halves, which FMLAL puts
 * into two groups, of even and of odd columns; these leave ZA for products with 1 / deviation, to which b is added.
 * z4-z7 ones where there is no weight, z10 z11 mean, z14 1 / deviation, z15 ones; s8 1 / elements, s9 eps, s12 17,
 * s13 1. */
#include "kernels/cpu/asm.h"

#define GROUPS(a, b) za.s[w8, a:b, vgx4]
#define GROUP(i) za.s[w8, i, vgx4]
#define GROUP_D(i) za.d[w8, i, vgx4]

.macro sums_of some, more, at, next
    ld1h {z0.h-z3.h}, \some/z, [x2, \at, lsl #1]
    ld1h {z4.h-z7.h}, \more/z, [x2, \next, lsl #1]
.endm

.macro add_sums_of registers:vararg
    fdot GROUP(0), {\registers}, z15.h
    fdot GROUP(1), {\registers}, {\registers}
.endm

.macro add_sums
    add_sums_of z0.h-z3.h
    add_sums_of z4.h-z7.h
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

// \to = the sum of a group, divided by the number of elements.
.macro average_of group, to
    mova {z0.d-z3.d}, GROUP_D(\group)
    fadd z0.s, z0.s, z1.s
    fadd z2.s, z2.s, z3.s
    fadd z0.s, z0.s, z2.s
    faddv s0, p0, z0.s
    fmul \to, s0, s8
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

// Groups \first and \second = x w - m w.
.macro products some, at, first, second, weighted
    ld1h {z0.h-z3.h}, \some/z, [x2, \at, lsl #1]
    .if \weighted
    ld1h {z4.h-z7.h}, \some/z, [x11, \at, lsl #1]
    .endif
    fmlal GROUPS(\first, \second), {z0.h-z3.h}, {z4.h-z7.h}
    fmlsl GROUPS(\first, \second), {z4.h-z7.h}, z10.h
    fmlsl GROUPS(\first, \second), {z4.h-z7.h}, z11.h
.endm

.macro biases some, at, first, second, biased
    .if \biased
    ld1h {z0.h-z3.h}, \some/z, [x17, \at, lsl #1]
    fmlal GROUPS(\first, \second), {z0.h-z3.h}, z15.h
    .endif
.endm

.macro narrow_two index, first, second
    mova {z16.b-z19.b}, za0h.b[\index, 0:3]
    fcvtn \first\().h, {z16.s-z17.s}
    fcvtn \second\().h, {z18.s-z19.s}
.endm

.macro narrow_one index, to
    mova {z16.b-z17.b}, za0h.b[\index, 2:3]
    fcvtn \to\().h, {z16.s-z17.s}
.endm

.macro two_quads some, more, at, next, weighted, biased
    zero {za}
    products \some, \at, 0, 1, \weighted
    products \more, \next, 2, 3, \weighted
    mova {z16.d-z19.d}, GROUP_D(0)
    mova {z20.d-z23.d}, GROUP_D(1)
    mova {z24.d-z27.d}, GROUP_D(2)
    mova {z28.d-z31.d}, GROUP_D(3)
    zero {za}
    biases \some, \at, 0, 1, \biased
    biases \more, \next, 2, 3, \biased
    fmla GROUP(0), {z16.s-z19.s}, z14.s
    fmla GROUP(1), {z20.s-z23.s}, z14.s
    fmla GROUP(2), {z24.s-z27.s}, z14.s
    fmla GROUP(3), {z28.s-z31.s}, z14.s
    narrow_two w12, z0, z20
    narrow_two w13, z1, z21
    narrow_two w14, z2, z22
    narrow_two w15, z3, z23
    st1h {z0.h-z3.h}, \some, [x3, \at, lsl #1]
    st1h {z20.h-z23.h}, \more, [x3, \next, lsl #1]
.endm

.macro one_quad some, at, weighted, biased
    zero {za}
    products \some, \at, 0, 1, \weighted
    mova {z16.d-z19.d}, GROUP_D(0)
    mova {z20.d-z23.d}, GROUP_D(1)
    biases \some, \at, 2, 3, \biased
    fmla GROUP(2), {z16.s-z19.s}, z14.s
    fmla GROUP(3), {z20.s-z23.s}, z14.s
    narrow_one w12, z0
    narrow_one w13, z1
    narrow_one w14, z2
    narrow_one w15, z3
    st1h {z0.h-z3.h}, \some, [x3, \at, lsl #1]
.endm

.macro normalise_row weighted, biased
    cbz x7, 2f
    mov x5, xzr
    mov x9, x6
1:  two_quads pn8, pn8, x5, x9, \weighted, \biased
    add x9, x9, x6, lsl #1
    add x5, x5, x6, lsl #1
    cmp x5, x7
    b.lo 1b
2:  cbz x10, 60f
    cmp x10, x6
    b.ls 3f
    two_quads pn9, pn10, x7, x16, \weighted, \biased
    b 60f
3:  one_quad pn9, x7, \weighted, \biased
    b 60f
.endm

function_begin sl_layer_norm_rows_f16_sme2_asm
    stp x19, x20, [sp, #-16]!
    ldp x4, x1, [x0]            // rows, elements of each
    ldp x2, x3, [x0, #24]       // in, out
    ldr s9, [x0, #44]           // eps
    ldp x11, x17, [x0, #48]     // weight, bias
    ldp x19, x20, [x0, #64]     // mean, 1 / deviation
    cbz x4, 90f
    cbz x1, 90f
    ptrue p0.s
    ptrue pn8.h
    fmov z15.h, #1.0
    fmov s13, #1.0
    fmov s12, #17.0
    ucvtf s8, x1
    fdiv s8, s13, s8
    mov w8, wzr
    mov w12, wzr
    cntw x13
    add w14, w13, w13
    add w15, w14, w13
    cnth x6, all, mul #4
    lsl x5, x6, #1
    udiv x7, x1, x5
    mul x7, x7, x5              // elements in whole turns
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
    add x9, x9, x6, lsl #1
    add x5, x5, x6, lsl #1
    cmp x5, x7
    b.lo 11b
12: cbz x10, 13f
    sums_of pn9, pn10, x7, x16
    add_sums
13: average_of 1, s18
    average_of 0, s17           // mean
    fmsub s19, s17, s17, s18    // variance
    fmul s20, s19, s12
    two_halves s17, z10, z11
    fcmp s18, s20
    b.gt 40f
15: fadd s19, s19, s9
    fsqrt s19, s19
    fdiv s20, s13, s19
    mov z14.s, s20
    cbz x19, 20f
    str h10, [x19], #2
20: cbz x20, 30f
    fcvt h20, s20
    str h20, [x20], #2
30: cbz x11, 33f
    cbz x17, 32f
    normalise_row 1, 1
32: normalise_row 1, 0
33: fmov z4.h, #1.0
    fmov z5.h, #1.0
    fmov z6.h, #1.0
    fmov z7.h, #1.0
    cbz x17, 34f
    normalise_row 0, 1
34: normalise_row 0, 0
40: // the variance again, and the rest of the mean
    zero {za}
    mov x5, xzr
    cbz x7, 42f
41: add x9, x5, x6
    sums_of pn8, pn8, x5, x9
    subtract_mean
    add_sums
    add x5, x5, x6, lsl #1
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
43: average_of 1, s18
    average_of 0, s0
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
90: ldp x19, x20, [sp], #16
    ret
function_end sl_layer_norm_rows_f16_sme2_asm

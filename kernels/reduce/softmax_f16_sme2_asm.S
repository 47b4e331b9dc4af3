/* kernels/reduce/softmax_f16_sme2_asm.S: softmax of rows of halves, eight vectors a turn. The readable form
 * is that of reduce_scalar.inc.
 *
 * sl_softmax_rows_f16_sme2_asm(const struct sl_softmax_f16_rows *), in streaming mode with ZA on. A row is
 * read for its largest element m and for e^(x - m), which goes to a buffer of floats with the sum in
 * ZA; the buffer is divided by the sum and rounded once. A row of one turn stays in registers and ZA.
 *
 * (x - m) log2 e = n + f is a sum of products of halves that FMLAL widens, even elements into group 0
 * and odd ones into group 1; 2^f is the polynomial of power_f16_sme2_asm.S, and n is added to the
 * exponent. x is at least m - 30, where nothing is left of a half, and at least -65504: where m
 * is that, -inf counts as much.
 * Group 2 is free, group 3 the sum. z8 coefficients, z9 the least x, z10 z11 log2 e, z12 23, z15 the
 * factor; quads z20 and z28 coefficients 2 and 0, z24 m. */
#include "kernels/cpu/asm.h"

#define GROUP(i) za.s[w8, i, vgx4]
#define GROUP_D(i) za.d[w8, i, vgx4]

.macro quad_of z0, z1, z2, z3
    mov z\z1\().d, z\z0\().d
    mov z\z2\().d, z\z0\().d
    mov z\z3\().d, z\z0\().d
.endm

.macro half_of vector, at
    ldr s0, [x6, #\at]
    fcvt h0, s0
    mov \vector\().h, h0
.endm

// GROUP(\group) = z0-z3 = 2^GROUP(\group), and to the sum. Group 2 is 0.
.macro power group
    mova {z0.d-z3.d}, GROUP_D(\group)
    frintn {z4.s-z7.s}, {z0.s-z3.s}
    fsub GROUP(\group), {z4.s-z7.s}
    mova {z0.d-z3.d}, GROUP_D(\group)
    fmla GROUP(2), {z0.s-z3.s}, {z0.s-z3.s}
    mova {z16.d-z19.d}, GROUP_D(2)
    mova GROUP_D(2), {z20.d-z23.d}
    fmla GROUP(2), {z16.s-z19.s}, z8.s[2]
    fmla GROUP(2), {z0.s-z3.s}, z8.s[1]
    mova GROUP_D(\group), {z28.d-z31.d}
    fmla GROUP(\group), {z0.s-z3.s}, z8.s[0]
    mova {z0.d-z3.d}, GROUP_D(2)
    fmla GROUP(\group), {z0.s-z3.s}, {z16.s-z19.s}
    fcvtzs {z4.s-z7.s}, {z4.s-z7.s}
    srshl {z4.s-z7.s}, {z4.s-z7.s}, z12.s
    add GROUP(\group), {z4.s-z7.s}
    mova {z0.d-z3.d}, GROUP_D(\group)
    fadd GROUP(3), {z0.s-z3.s}
.endm

// The powers of z0-z3, where they are kept to the buffer's vectors from \even_at and \odd_at on.
.macro powers kept, even_at, odd_at
    fmax {z0.h-z3.h}, {z0.h-z3.h}, z9.h
    zero {za0.s, za1.s, za2.s}
    fmlal za.s[w8, 0:1, vgx4], {z0.h-z3.h}, z10.h
    fmlsl za.s[w8, 0:1, vgx4], {z24.h-z27.h}, z10.h
    fmlal za.s[w8, 0:1, vgx4], {z0.h-z3.h}, z11.h
    fmlsl za.s[w8, 0:1, vgx4], {z24.h-z27.h}, z11.h
    power 0
    .if \kept
    st1w {z0.s-z3.s}, pn8, [x6, #\even_at, mul vl]
    .endif
    zero {za2.s}
    power 1
    .if \kept
    st1w {z0.s-z3.s}, pn8, [x6, #\odd_at, mul vl]
    .endif
.endm

// z24-z27 the largest element \largest, a NaN instead of an infinity, and z9 the least one that counts.
.macro bounds largest, other
    fcvt s\other, h\largest
    fsub s\largest, s\other, s\other
    fadd s\other, s\other, s\largest
    fcvt h\largest, s\other
    mov z24.h, h\largest
    quad_of 24, 25, 26, 27
    fcmp s\other, s14
    cset w10, eq
    fsub s\other, s\other, s13
    fmax s\other, s\other, s14
    fcvt h\other, s\other
    mov z9.h, h\other
.endm

// z0-z3 = what pn9 has of the row at \at, and the least x that counts.
.macro least_behind at:vararg
    mov z4.d, z9.d
    quad_of 4, 5, 6, 7
    ld1h {z0.h-z3.h}, pn9/z, \at
    sel {z0.h-z3.h}, pn9, {z0.h-z3.h}, {z4.h-z7.h}
.endm

// z15 = 1 / the sum. Where m is -65504 all of a row are m, of the last turn even what is not the row's.
.macro factor
    mova {z0.d-z3.d}, GROUP_D(3)
    fadd z0.s, z0.s, z1.s
    fadd z2.s, z2.s, z3.s
    fadd z0.s, z0.s, z2.s
    faddv s0, p0, z0.s
    cbz w10, 25f
    ucvtf s0, x2
    fmul s0, s0, s28
25: fmov s1, #1.0
    fdiv s0, s1, s0
    mov z15.s, s0
.endm

// Vector \i of groups 0 and 1, times the factor, to halves.
.macro narrow_scaled index, to
    mova {z0.b-z1.b}, za0h.b[\index, 0:1]
    fmul z0.s, z0.s, z15.s
    fmul z1.s, z1.s, z15.s
    fcvtn \to\().h, {z0.s-z1.s}
.endm

// A group = the buffer's vectors from \at on, times the factor. Groups are 0 before.
.macro scaled group, at
    ld1w {z0.s-z3.s}, pn8/z, [x6, #\at, mul vl]
    fmla GROUP(\group), {z0.s-z3.s}, z15.s
.endm

// Vector \i of each group to halves: groups 0 and 1 together, 2 and 3 together.
.macro narrow index, first, second
    mova {z0.b-z3.b}, za0h.b[\index, 0:3]
    fcvtn \first\().h, {z0.s-z1.s}
    fcvtn \second\().h, {z2.s-z3.s}
.endm

.macro narrow_all
    narrow w12, z16, z4
    narrow w13, z17, z5
    narrow w14, z18, z6
    narrow w15, z19, z7
.endm

// Sixteen vectors of the buffer to eight of halves, z16-z19 and z4-z7.
.macro scale_two_quads
    zero {za}
    scaled 0, 0
    scaled 1, 4
    scaled 2, 8
    scaled 3, 12
    narrow_all
.endm

.macro load_constants
    ldp x5, x6, [x0, #32]       // buffer, table
    ptrue p0.s
    ptrue p1.h
    ptrue pn8.h
    ld1rqw {z8.s}, p0/z, [x6]
    ld1rw {z20.s}, p0/z, [x6, #16]
    ld1rw {z28.s}, p0/z, [x6, #20]
    quad_of 20, 21, 22, 23
    quad_of 28, 29, 30, 31
    half_of z10, 24
    half_of z11, 28
    mov z12.s, #23
    fmov s13, #30.0
    ldr s14, [x6, #32]          // -65504
    mov w8, wzr
    mov w12, wzr
    cntw x13
    add w14, w13, w13
    add w15, w14, w13
.endm

// z0-z3 = the largest elements; x17 is free.
.macro largest
    dupm z0.h, #0xfc00          // -inf
    quad_of 0, 1, 2, 3
    mov x16, x3
    mov x17, x9
    cbz x9, 12f
11: ld1h {z4.h-z7.h}, pn8/z, [x16]
    ld1h {z16.h-z19.h}, pn8/z, [x16, #4, mul vl]
    fmax {z0.h-z3.h}, {z0.h-z3.h}, {z4.h-z7.h}
    fmax {z0.h-z3.h}, {z0.h-z3.h}, {z16.h-z19.h}
    addvl x16, x16, #8
    subs x17, x17, #1
    b.ne 11b
12: cmp x11, x2
    b.hs 14f
    mov x17, x11
    dupm z16.h, #0xfc00
    quad_of 16, 17, 18, 19
13: whilelt pn9.h, x17, x2, vlx4
    ld1h {z4.h-z7.h}, pn9/z, [x3, x17, lsl #1]
    sel {z4.h-z7.h}, pn9, {z4.h-z7.h}, {z16.h-z19.h}
    fmax {z0.h-z3.h}, {z0.h-z3.h}, {z4.h-z7.h}
    add x17, x17, x7
    cmp x17, x2
    b.lo 13b
14:
.endm

// x1 rows, x2 elements of each, x3 in, x4 out, x5 buffer, x6 where in it, x7 elements of a turn, x9 pairs
// of whole turns, x11 elements of those.
function_begin sl_softmax_rows_f16_sme2_asm
    ldp x1, x2, [x0]
    ldp x3, x4, [x0, #16]
    load_constants
    cnth x7, all, mul #4
    lsl x10, x7, #1
    udiv x9, x2, x10
    mul x11, x9, x10
    cmp x2, x7
    b.ls 50f
    cmp x2, x10
    b.ls 70f
10: largest
    fmax {z0.h-z1.h}, {z0.h-z1.h}, {z2.h-z3.h}
    fmax z0.h, p1/m, z0.h, z1.h
    fmaxv h0, p1, z0.h
    bounds 0, 1
    zero {za}
    mov x6, x5
    mov x16, x3
    mov x17, x9
    cbz x9, 22f
21: ld1h {z0.h-z3.h}, pn8/z, [x16]
    powers 1, 0, 4
    ld1h {z0.h-z3.h}, pn8/z, [x16, #4, mul vl]
    powers 1, 8, 12
    addvl x16, x16, #8
    addvl x6, x6, #16
    subs x17, x17, #1
    b.ne 21b
22: cmp x11, x2
    b.hs 24f
    mov x17, x11
23: whilelt pn9.h, x17, x2, vlx4
    least_behind [x3, x17, lsl #1]
    powers 1, 0, 4
    addvl x6, x6, #8
    add x17, x17, x7
    cmp x17, x2
    b.lo 23b
24: factor
    mov x6, x5
    mov x16, x4
    mov x17, x9
    cbz x9, 32f
31: scale_two_quads
    st1h {z16.h-z19.h}, pn8, [x16]
    st1h {z4.h-z7.h}, pn8, [x16, #4, mul vl]
    addvl x16, x16, #8
    addvl x6, x6, #16
    subs x17, x17, #1
    b.ne 31b
32: cmp x11, x2
    b.hs 34f
    mov x17, x11
33: whilelt pn9.h, x17, x2, vlx4
    zero {za}
    scaled 0, 0
    scaled 1, 4
    narrow_all
    st1h {z16.h-z19.h}, pn9, [x4, x17, lsl #1]
    addvl x6, x6, #8
    add x17, x17, x7
    cmp x17, x2
    b.lo 33b
34: add x3, x3, x2, lsl #1
    add x4, x4, x2, lsl #1
    subs x1, x1, #1
    b.ne 10b
    ret
50: whilelt pn9.h, xzr, x2, vlx4    // rows of a turn: neither read again nor kept in the buffer
51: ld1h {z0.h-z3.h}, pn9/z, [x3]
    dupm z16.h, #0xfc00
    quad_of 16, 17, 18, 19
    sel {z0.h-z3.h}, pn9, {z0.h-z3.h}, {z16.h-z19.h}
    mov z4.d, z0.d
    fmax z4.h, p1/m, z4.h, z1.h
    fmax z4.h, p1/m, z4.h, z2.h
    fmax z4.h, p1/m, z4.h, z3.h
    fmaxv h4, p1, z4.h
    bounds 4, 5
    zero {za3.s}
    powers 0
    factor
    narrow_scaled w12, z16
    narrow_scaled w13, z17
    narrow_scaled w14, z18
    narrow_scaled w15, z19
    st1h {z16.h-z19.h}, pn9, [x4]
    add x3, x3, x2, lsl #1
    add x4, x4, x2, lsl #1
    subs x1, x1, #1
    b.ne 51b
    ret
70: whilelt pn9.h, x7, x2, vlx4     // rows of two quads, whose last vectors are known beforehand
    pext {p2.h, p3.h}, pn9[0]
    pext {p4.h, p5.h}, pn9[1]
    mov x6, x5
71: ld1h {z0.h-z3.h}, pn8/z, [x3]
    ld1h {z4.h-z7.h}, pn9/z, [x3, #4, mul vl]
    fmax z0.h, p2/m, z0.h, z4.h
    fmax z1.h, p3/m, z1.h, z5.h
    fmax z2.h, p4/m, z2.h, z6.h
    fmax z3.h, p5/m, z3.h, z7.h
    fmax {z0.h-z1.h}, {z0.h-z1.h}, {z2.h-z3.h}
    fmax z0.h, p1/m, z0.h, z1.h
    fmaxv h0, p1, z0.h
    bounds 0, 1
    zero {za}
    ld1h {z0.h-z3.h}, pn8/z, [x3]
    powers 1, 0, 4
    least_behind [x3, #4, mul vl]
    powers 1, 8, 12
    factor
    scale_two_quads
    st1h {z16.h-z19.h}, pn8, [x4]
    st1h {z4.h-z7.h}, pn9, [x4, #4, mul vl]
    add x3, x3, x2, lsl #1
    add x4, x4, x2, lsl #1
    subs x1, x1, #1
    b.ne 71b
    ret
function_end sl_softmax_rows_f16_sme2_asm

/* kernels/reduce/rms_sme2_asm.S: RMS norm of rows, eight vectors a turn. The readable form is that of
 * reduce_scalar.inc.
 *
 * sl_rms_norm_rows_{f32,f16}_sme2_asm(const struct sl_reduce_args * or sl_reduce_f16_args *), in
 * streaming mode with ZA on. A row is read twice: for its squares, which groups of ZA sum up, and
 * for the result. Products of halves are exact in f32: FMLAL has even and odd columns in a group
 * each, and products by weights start from -0, so that zeros keep their signs. z14 1 / root,
 * z15 ones, z24-z27 -0; s8 the number of elements, s9 eps, s10 1. */
#include "kernels/cpu/asm.h"

#define GROUPS(a, b) za.s[w8, a:b, vgx4]

.macro squares_f32 some, more
    ld1w {z0.s-z3.s}, \some/z, [x5]
    ld1w {z4.s-z7.s}, \more/z, [x5, #4, mul vl]
    fmla za.s[w8, 0, vgx4], {z0.s-z3.s}, {z0.s-z3.s}
    fmla za.s[w8, 1, vgx4], {z4.s-z7.s}, {z4.s-z7.s}
.endm

.macro squares_f16 some, more
    ld1h {z0.h-z3.h}, \some/z, [x5]
    ld1h {z4.h-z7.h}, \more/z, [x5, #4, mul vl]
    fmlal GROUPS(0, 1), {z0.h-z3.h}, {z0.h-z3.h}
    fmlal GROUPS(0, 1), {z4.h-z7.h}, {z4.h-z7.h}
.endm

.macro multiply r0, r1, r2, r3, a, b, c, d
    fmul z\r0\().s, z\r0\().s, z\a\().s
    fmul z\r1\().s, z\r1\().s, z\b\().s
    fmul z\r2\().s, z\r2\().s, z\c\().s
    fmul z\r3\().s, z\r3\().s, z\d\().s
.endm

.macro results_f32 some, at, weighted
    ld1w {z0.s-z3.s}, \some/z, [x2, \at, lsl #2]
    multiply 0, 1, 2, 3, 14, 14, 14, 14
    .if \weighted
    ld1w {z4.s-z7.s}, \some/z, [x11, \at, lsl #2]
    multiply 0, 1, 2, 3, 4, 5, 6, 7
    .endif
    st1w {z0.s-z3.s}, \some, [x3, \at, lsl #2]
.endm

.macro results_f16 some, at, weighted
    ld1h {z0.h-z3.h}, \some/z, [x2, \at, lsl #1]
    mova za.d[w8, 0, vgx4], {z24.d-z27.d}
    mova za.d[w8, 1, vgx4], {z24.d-z27.d}
    .if \weighted
    ld1h {z4.h-z7.h}, \some/z, [x11, \at, lsl #1]
    fmlal GROUPS(0, 1), {z0.h-z3.h}, {z4.h-z7.h}
    .else
    fmlal GROUPS(0, 1), {z0.h-z3.h}, z15.h
    .endif
    mova {z0.d-z3.d}, za.d[w8, 0, vgx4]
    mova {z4.d-z7.d}, za.d[w8, 1, vgx4]
    fmul z16.s, z0.s, z14.s
    fmul z17.s, z4.s, z14.s
    fmul z18.s, z1.s, z14.s
    fmul z19.s, z5.s, z14.s
    fmul z20.s, z2.s, z14.s
    fmul z21.s, z6.s, z14.s
    fmul z22.s, z3.s, z14.s
    fmul z23.s, z7.s, z14.s
    fcvtn z0.h, {z16.s-z17.s}
    fcvtn z1.h, {z18.s-z19.s}
    fcvtn z2.h, {z20.s-z21.s}
    fcvtn z3.h, {z22.s-z23.s}
    st1h {z0.h-z3.h}, \some, [x3, \at, lsl #1]
.endm

// x7 turns, then the elements of pn9 and pn10, if x10 says that there are any.
.macro results_of_row type, weighted
    mov x5, xzr
    mov x9, x6
    cbz x7, 2f
    mov x16, x7
1:  results_\type pn8, x5, \weighted
    results_\type pn8, x9, \weighted
    add x5, x5, x15
    add x9, x9, x15
    subs x16, x16, #1
    b.ne 1b
2:  cbz x10, 60f
    results_\type pn9, x5, \weighted
    results_\type pn10, x9, \weighted
    b 60f
.endm

// The rows have elements of 2^shift bytes.
.macro rms_norm_rows type, shift, lane
    ldp x4, x1, [x0]            // rows, elements of each
    ldp x2, x3, [x0, #24]       // in, out
    ldr s9, [x0, #44]           // eps
    ldr x11, [x0, #48]          // weight
    ldr x14, [x0, #72]          // 1 / root
    cbz x4, 90f
    cbz x1, 90f
    ptrue p0.s
    ptrue pn8.\lane
    fmov s10, #1.0
    ucvtf s8, x1
    mov w8, wzr
    cntb x6, all, mul #4
    lsr x6, x6, #\shift         // elements of four vectors
    lsl x15, x6, #1
    udiv x7, x1, x15
    msub x10, x7, x15, x1       // elements behind whole turns
    whilelt pn9.\lane, xzr, x10, vlx4
    whilelt pn10.\lane, x6, x10, vlx4
10: zero {za}
    mov x5, x2
    cbz x7, 12f
    mov x16, x7
11: squares_\type pn8, pn8
    addvl x5, x5, #8
    subs x16, x16, #1
    b.ne 11b
12: cbz x10, 13f
    squares_\type pn9, pn10
13: mova {z0.d-z3.d}, za.d[w8, 1, vgx4]
    fadd za.s[w8, 0, vgx4], {z0.s-z3.s}
    mova {z0.d-z3.d}, za.d[w8, 0, vgx4]
    fadd z0.s, z0.s, z1.s
    fadd z2.s, z2.s, z3.s
    fadd z0.s, z0.s, z2.s
    faddv s0, p0, z0.s
    fdiv s0, s0, s8
    fadd s0, s0, s9
    fsqrt s0, s0
    fdiv s0, s10, s0
    mov z14.s, s0
.endm

// To the next row; 60 is where a row has its results.
.macro next_row type, shift
    cbz x11, 30f
    results_of_row \type, 1
30: results_of_row \type, 0
60: add x2, x2, x1, lsl #\shift
    add x3, x3, x1, lsl #\shift
    subs x4, x4, #1
    b.ne 10b
90: ret
.endm

function_begin sl_rms_norm_rows_f32_sme2_asm
    rms_norm_rows f32, 2, s
    cbz x14, 20f
    str s0, [x14], #4
20: next_row f32, 2
function_end sl_rms_norm_rows_f32_sme2_asm

function_begin sl_rms_norm_rows_f16_sme2_asm
    fmov z15.h, #1.0
    mov z24.s, #0x80000000
    mov z25.d, z24.d
    mov z26.d, z24.d
    mov z27.d, z24.d
    rms_norm_rows f16, 1, h
    cbz x14, 20f
    fcvt h0, s0
    str h0, [x14], #2
20: next_row f16, 1
function_end sl_rms_norm_rows_f16_sme2_asm

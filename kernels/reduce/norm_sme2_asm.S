/* kernels/reduce/norm_sme2_asm.S: layer norm of rows, four vectors a turn. The readable form is that
 * of reduce_scalar.c.
 *
 * sl_layer_norm_rows_sme2_asm(const struct sl_reduce_args *), in streaming mode with ZA on. A row is
 * read three times: its sum, its squared distances from the mean (both are sums of ZA groups), and
 * the result. z13 mean, z14 1 / deviation, z15 -mean / deviation, z8-z11
 * zeros. */
#include "kernels/cpu/asm.h"

.macro subtract_mean
    fsub z0.s, z0.s, z13.s
    fsub z1.s, z1.s, z13.s
    fsub z2.s, z2.s, z13.s
    fsub z3.s, z3.s, z13.s
.endm

// Element x5 on: (x / deviation - mean / deviation) * weight + bias, by the predicate \some.
.macro normalise some, weighted, biased
    ld1w {z0.s-z3.s}, \some/z, [x2, x5, lsl #2]
    .if \weighted
    ld1w {z4.s-z7.s}, \some/z, [x11, x5, lsl #2]
    .endif
    .if \biased
    ld1w {z16.s-z19.s}, \some/z, [x12, x5, lsl #2]
    .endif
    fmad z0.s, p0/m, z14.s, z15.s
    fmad z1.s, p0/m, z14.s, z15.s
    fmad z2.s, p0/m, z14.s, z15.s
    fmad z3.s, p0/m, z14.s, z15.s
    .if \weighted && \biased
    mova za.d[w8, 0, vgx4], {z16.d-z19.d}
    fmla za.s[w8, 0, vgx4], {z0.s-z3.s}, {z4.s-z7.s}
    mova {z0.d-z3.d}, za.d[w8, 0, vgx4]
    .elseif \weighted
    fmul z0.s, z0.s, z4.s
    fmul z1.s, z1.s, z5.s
    fmul z2.s, z2.s, z6.s
    fmul z3.s, z3.s, z7.s
    .elseif \biased
    fadd z0.s, z0.s, z16.s
    fadd z1.s, z1.s, z17.s
    fadd z2.s, z2.s, z18.s
    fadd z3.s, z3.s, z19.s
    .endif
    st1w {z0.s-z3.s}, \some, [x3, x5, lsl #2]
.endm

.macro normalise_row weighted, biased
    mov x5, xzr
    cbz x7, 2f
1:  normalise pn8, \weighted, \biased
    add x5, x5, x6
    cmp x5, x7
    b.lo 1b
2:  cbz x10, 40f
    normalise pn9, \weighted, \biased
    b 40f
.endm

// s0 = the sum of the ZA group, divided by the number of elements.
.macro average_of_group
    mova {z0.d-z3.d}, za.d[w8, 0, vgx4]
    fadd z0.s, z0.s, z1.s
    fadd z2.s, z2.s, z3.s
    fadd z0.s, z0.s, z2.s
    faddv s0, p0, z0.s
    fdiv s0, s0, s12
.endm

function_begin sl_layer_norm_rows_sme2_asm
    ldp x4, x1, [x0]            // rows, elements of each
    ldp x2, x3, [x0, #24]       // in, out
    ldr s20, [x0, #44]          // eps
    ldp x11, x12, [x0, #48]     // weight, bias
    ldp x13, x14, [x0, #64]     // mean, 1 / deviation
    cbz x4, 90f
    cbz x1, 90f
    ptrue p0.s
    ptrue pn8.s
    mov z8.s, #0
    mov z9.s, #0
    mov z10.s, #0
    mov z11.s, #0
    fmov s21, #1.0
    ucvtf s12, x1
    mov w8, wzr
    cntw x6, all, mul #4
    udiv x7, x1, x6
    mul x7, x7, x6              // elements in whole turns
    whilelt pn9.s, x7, x1, vlx4 // those behind
    sub x10, x1, x7
10: zero {za}
    mov x5, xzr
    cbz x7, 12f
11: ld1w {z0.s-z3.s}, pn8/z, [x2, x5, lsl #2]
    add x5, x5, x6
    fadd za.s[w8, 0, vgx4], {z0.s-z3.s}
    cmp x5, x7
    b.lo 11b
12: cbz x10, 13f
    ld1w {z0.s-z3.s}, pn9/z, [x2, x7, lsl #2]
    fadd za.s[w8, 0, vgx4], {z0.s-z3.s}
13: average_of_group
    mov z13.s, s0
    cbz x13, 20f
    str s0, [x13], #4
20: zero {za}
    mov x5, xzr
    cbz x7, 22f
21: ld1w {z0.s-z3.s}, pn8/z, [x2, x5, lsl #2]
    subtract_mean
    fmla za.s[w8, 0, vgx4], {z0.s-z3.s}, {z0.s-z3.s}
    add x5, x5, x6
    cmp x5, x7
    b.lo 21b
22: cbz x10, 23f
    ld1w {z0.s-z3.s}, pn9/z, [x2, x7, lsl #2]
    subtract_mean
    sel {z0.s-z3.s}, pn9, {z0.s-z3.s}, {z8.s-z11.s}
    fmla za.s[w8, 0, vgx4], {z0.s-z3.s}, {z0.s-z3.s}
23: average_of_group
    fadd s0, s0, s20
    fsqrt s0, s0
    fdiv s0, s21, s0
    mov z14.s, s0
    fnmul s15, s0, s13
    mov z15.s, s15
    cbz x14, 30f
    str s0, [x14], #4
30: cbz x11, 33f
    cbz x12, 32f
    normalise_row 1, 1
32: normalise_row 1, 0
33: cbz x12, 34f
    normalise_row 0, 1
34: normalise_row 0, 0
40: add x2, x2, x1, lsl #2
    add x3, x3, x1, lsl #2
    subs x4, x4, #1
    b.ne 10b
90: ret
function_end sl_layer_norm_rows_sme2_asm

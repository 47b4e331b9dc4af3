/* kernels/reduce/softmax_sme2_asm.S: softmax of rows, four vectors a turn. The readable form is that
 * of reduce_scalar.c, with e^x as softmax_sme2.c says.
 *
 * sl_softmax_rows_sme2_asm(const struct sl_softmax_rows *), in streaming mode with ZA on. A row is
 * read three times: its largest element, e^(x - largest) with the sum, which is a group of ZA, and
 * the division. z0-z3 x and r, z4-z7 n, z16-z19 the result, z8-z11 -inf, z24-z31 and z14 constants. */
#include "kernels/cpu/asm.h"

.macro subtract_largest
    fsub z0.s, z0.s, z13.s
    fsub z1.s, z1.s, z13.s
    fsub z2.s, z2.s, z13.s
    fsub z3.s, z3.s, z13.s
.endm

// z0-z3 -= z4-z7 * \by.
.macro reduce by
    fmls z0.s, p0/m, z4.s, \by
    fmls z1.s, p0/m, z5.s, \by
    fmls z2.s, p0/m, z6.s, \by
    fmls z3.s, p0/m, z7.s, \by
.endm

// z16-z19 = z16-z19 * z0-z3 + \next.
.macro horner next
    fmad z16.s, p0/m, z0.s, \next
    fmad z17.s, p0/m, z1.s, \next
    fmad z18.s, p0/m, z2.s, \next
    fmad z19.s, p0/m, z3.s, \next
.endm

// z16-z19 = some factor * e^(z0-z3 - z13).
.macro power
    subtract_largest
    fmax {z0.s-z3.s}, {z0.s-z3.s}, z14.s
    fmul z4.s, z0.s, z24.s
    fmul z5.s, z1.s, z24.s
    fmul z6.s, z2.s, z24.s
    fmul z7.s, z3.s, z24.s
    frintn {z4.s-z7.s}, {z4.s-z7.s}
    reduce z25.s
    reduce z26.s
    fcvtzs {z4.s-z7.s}, {z4.s-z7.s}
    fadd z16.s, z0.s, z27.s
    fadd z17.s, z1.s, z27.s
    fadd z18.s, z2.s, z27.s
    fadd z19.s, z3.s, z27.s
    horner z28.s
    horner z29.s
    horner z30.s
    horner z31.s
    fscale z16.s, p0/m, z16.s, z4.s
    fscale z17.s, p0/m, z17.s, z5.s
    fscale z18.s, p0/m, z18.s, z6.s
    fscale z19.s, p0/m, z19.s, z7.s
.endm

.macro scale
    fmul z0.s, z0.s, z13.s
    fmul z1.s, z1.s, z13.s
    fmul z2.s, z2.s, z13.s
    fmul z3.s, z3.s, z13.s
.endm

function_begin sl_softmax_rows_sme2_asm
    ldp x0, x9, [x0]            // arguments, constants
    ldp x4, x1, [x0]            // rows, elements of each
    ldp x2, x3, [x0, #24]       // in, out
    cbz x4, 90f
    ptrue p0.s
    ptrue pn8.s
    ld1rw {z14.s}, p0/z, [x9]
    ld1rw {z24.s}, p0/z, [x9, #4]
    ld1rw {z25.s}, p0/z, [x9, #8]
    ld1rw {z26.s}, p0/z, [x9, #12]
    ld1rw {z27.s}, p0/z, [x9, #16]
    ld1rw {z28.s}, p0/z, [x9, #20]
    ld1rw {z29.s}, p0/z, [x9, #24]
    ld1rw {z30.s}, p0/z, [x9, #28]
    ld1rw {z31.s}, p0/z, [x9, #32]
    ld1rw {z8.s}, p0/z, [x9, #36]
    mov z9.d, z8.d
    mov z10.d, z8.d
    mov z11.d, z8.d
    mov z12.s, #0
    fmov s15, #1.0
    mov w8, wzr
    cntw x6, all, mul #4
    udiv x7, x1, x6
    mul x7, x7, x6              // elements in whole turns
    whilelt pn9.s, x7, x1, vlx4 // those behind
    sub x10, x1, x7
10: cbz x7, 12f
    ld1w {z0.s-z3.s}, pn8/z, [x2]
    mov x5, x6
    cmp x5, x7
    b.hs 14f
11: ld1w {z4.s-z7.s}, pn8/z, [x2, x5, lsl #2]
    add x5, x5, x6
    fmax {z0.s-z3.s}, {z0.s-z3.s}, {z4.s-z7.s}
    cmp x5, x7
    b.lo 11b
    b 14f
12: mov z0.d, z8.d
    mov z1.d, z8.d
    mov z2.d, z8.d
    mov z3.d, z8.d
14: cbz x10, 13f
    ld1w {z4.s-z7.s}, pn9/z, [x2, x7, lsl #2]
    sel {z4.s-z7.s}, pn9, {z4.s-z7.s}, {z8.s-z11.s}
    fmax {z0.s-z3.s}, {z0.s-z3.s}, {z4.s-z7.s}
13: fmax {z0.s-z1.s}, {z0.s-z1.s}, {z2.s-z3.s}
    fmax z0.s, p0/m, z0.s, z1.s
    fmaxv s0, p0, z0.s
    mov z13.s, s0
    zero {za}
    mov x5, xzr
    cbz x7, 22f
21: ld1w {z0.s-z3.s}, pn8/z, [x2, x5, lsl #2]
    power
    fadd za.s[w8, 0, vgx4], {z16.s-z19.s}
    st1w {z16.s-z19.s}, pn8, [x3, x5, lsl #2]
    add x5, x5, x6
    cmp x5, x7
    b.lo 21b
22: cbz x10, 23f
    ld1w {z0.s-z3.s}, pn9/z, [x2, x7, lsl #2]
    power
    mov z0.d, z12.d
    mov z1.d, z12.d
    mov z2.d, z12.d
    mov z3.d, z12.d
    sel {z16.s-z19.s}, pn9, {z16.s-z19.s}, {z0.s-z3.s}
    fadd za.s[w8, 0, vgx4], {z16.s-z19.s}
    st1w {z16.s-z19.s}, pn9, [x3, x7, lsl #2]
23: mova {z0.d-z3.d}, za.d[w8, 0, vgx4]
    fadd z0.s, z0.s, z1.s
    fadd z2.s, z2.s, z3.s
    fadd z0.s, z0.s, z2.s
    faddv s0, p0, z0.s
    fdiv s0, s15, s0
    mov z13.s, s0
    mov x5, xzr
    cbz x7, 32f
31: ld1w {z0.s-z3.s}, pn8/z, [x3, x5, lsl #2]
    scale
    st1w {z0.s-z3.s}, pn8, [x3, x5, lsl #2]
    add x5, x5, x6
    cmp x5, x7
    b.lo 31b
32: cbz x10, 33f
    ld1w {z0.s-z3.s}, pn9/z, [x3, x7, lsl #2]
    scale
    st1w {z0.s-z3.s}, pn9, [x3, x7, lsl #2]
33: add x2, x2, x1, lsl #2
    add x3, x3, x1, lsl #2
    subs x4, x4, #1
    b.ne 10b
90: ret
function_end sl_softmax_rows_sme2_asm

/* kernels/depthwise/depthwise_f32_3x3_sme2_asm.S: 3x3 depthwise convolution of f32, see
 * depthwise_3x3_sme2_asm.inc. Rows 4-7 have the groups 4 on. */
#include "kernels/cpu/asm.h"

#define FUNCTION_S1 sl_depthwise_3x3s1_sme2_asm
#define FUNCTION_S2 sl_depthwise_3x3s2_sme2_asm
#define LOAD ld1w
#define STORE st1w
#define T s
#define SHIFT 2
#define STEP incw
#define WEIGHTS_REACH 8

.macro bounds
    mov z9.s, s9
    mov z10.s, s10
.endm

.macro next_column rows
    add w8, w8, #1
.endm

// The weights of one kernel column, wa wb wc from top to bottom, into group `at`.
.macro taps_s1 rows, at, wa, wb, wc
    fmla za.s[w8, \at, vgx4], {z16.s-z19.s}, \wa
    .if \rows > 4
    fmla za.s[w8, \at + 4, vgx4], {z20.s-z23.s}, \wa
    .endif
    fmla za.s[w8, \at, vgx4], {z17.s-z20.s}, \wb
    .if \rows > 4
    fmla za.s[w8, \at + 4, vgx4], {z21.s-z24.s}, \wb
    .endif
    fmla za.s[w8, \at, vgx4], {z18.s-z21.s}, \wc
    .if \rows > 4
    fmla za.s[w8, \at + 4, vgx4], {z22.s-z25.s}, \wc
    .endif
.endm

.macro taps_s2 at, wa, wb, wc
    fmla za.s[w8, \at, vgx4], {z16.s-z19.s}, \wa
    fmla za.s[w8, \at, vgx4], {z21.s-z24.s}, \wb
    fmla za.s[w8, \at, vgx4], {z17.s-z20.s}, \wc
.endm

.macro bias_to rows, at
    mova za.d[w8, \at, vgx4], {z12.d-z15.d}
    .if \rows > 4
    mova za.d[w8, \at + 4, vgx4], {z12.d-z15.d}
    .endif
.endm

// Clamps and stores the complete column in group 0.
.macro emit rows, column
    mova {z28.d-z31.d}, za.d[w8, 0, vgx4]
    fmax {z28.s-z31.s}, {z28.s-z31.s}, z9.s
    fmin {z28.s-z31.s}, {z28.s-z31.s}, z10.s
    store_row 0, \rows, 28, 21, \column
    store_row 1, \rows, 29, 22, \column
    store_row 2, \rows, 30, 23, \column
    store_row 3, \rows, 31, 24, \column
    .if \rows > 4
    mova {z28.d-z31.d}, za.d[w8, 4, vgx4]
    fmax {z28.s-z31.s}, {z28.s-z31.s}, z9.s
    fmin {z28.s-z31.s}, {z28.s-z31.s}, z10.s
    store_row 4, \rows, 28, 25, \column
    store_row 5, \rows, 29, 26, \column
    store_row 6, \rows, 30, 27, \column
    store_row 7, \rows, 31, 28, \column
    .endif
.endm

// Weights, bias and predicates of the channels from x3 on.
.macro channel_start
    whilelt p2.s, x3, x4
    ld1w {z12.s-z15.s}, pn8/z, [x5, #-8, mul vl]
    ld1w {z0.s-z3.s}, pn8/z, [x5, #-4, mul vl]
    ld1w {z4.s-z7.s}, pn8/z, [x5]
    ld1w {z8.s}, p0/z, [x5, #4, mul vl]
    addvl x5, x5, #13
    and p1.b, p5/z, p2.b, p2.b
    and p3.b, p6/z, p2.b, p2.b
    mov x1, x3
.endm

#include "kernels/depthwise/depthwise_3x3_sme2_asm.inc"

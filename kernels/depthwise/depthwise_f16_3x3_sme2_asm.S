/* kernels/depthwise/depthwise_f16_3x3_sme2_asm.S: 3x3 depthwise convolution of halves with sums in f32, see
 * depthwise_3x3_sme2_asm.inc.
 *
 * FMLAL adds the even channels of a vector to one vector of floats and the odd ones to the next, so an
 * output column has two groups for four rows, and a step of w8 is 2. Rows 4-7 have the groups from w9,
 * which is w8 + 8: eight rows take vectors of 512 bits, four rows of 256. z28-z31 are the bias of
 * odd channels, four times. */
#include "kernels/cpu/asm.h"

#define FUNCTION_S1 sl_depthwise_f16_3x3s1_sme2_asm
#define FUNCTION_S2 sl_depthwise_f16_3x3s2_sme2_asm
#define LOAD ld1h
#define STORE st1h
#define T h
#define SHIFT 1
#define STEP inch
#define WEIGHTS_REACH 12

.macro bounds
    fcvt h9, s9
    fcvt h10, s10
    mov z9.h, h9
    mov z10.h, h10
.endm

.macro next_column rows
    add w8, w8, #2
    .if \rows > 4
    add w9, w9, #2
    .endif
.endm

// Products with a weight, into the groups of column `at`: 0, 1 or 2.
.macro mlal index, at, rows, weight
    .if \at == 0
    fmlal za.s[\index, 0:1, vgx4], {\rows}, \weight
    .elseif \at == 1
    fmlal za.s[\index, 2:3, vgx4], {\rows}, \weight
    .else
    fmlal za.s[\index, 4:5, vgx4], {\rows}, \weight
    .endif
.endm

// The weights of one kernel column, wa wb wc from top to bottom, into the groups of column `at`.
.macro taps_s1 rows, at, wa, wb, wc
    mlal w8, \at, z16.h-z19.h, \wa
    .if \rows > 4
    mlal w9, \at, z20.h-z23.h, \wa
    .endif
    mlal w8, \at, z17.h-z20.h, \wb
    .if \rows > 4
    mlal w9, \at, z21.h-z24.h, \wb
    .endif
    mlal w8, \at, z18.h-z21.h, \wc
    .if \rows > 4
    mlal w9, \at, z22.h-z25.h, \wc
    .endif
.endm

.macro taps_s2 at, wa, wb, wc
    mlal w8, \at, z16.h-z19.h, \wa
    mlal w8, \at, z21.h-z24.h, \wb
    mlal w8, \at, z17.h-z20.h, \wc
.endm

.macro bias_to rows, at
    mova za.d[w8, 2 * \at, vgx4], {z12.d-z15.d}
    mova za.d[w8, 2 * \at + 1, vgx4], {z28.d-z31.d}
    .if \rows > 4
    mova za.d[w9, 2 * \at, vgx4], {z12.d-z15.d}
    mova za.d[w9, 2 * \at + 1, vgx4], {z28.d-z31.d}
    .endif
.endm

// Even channels in \even, odd ones in \odd, to halves in \even.
.macro narrow even, odd
    fcvt z\even\().h, p0/m, z\even\().s
    fcvtnt z\even\().h, p0/m, z\odd\().s
.endm

// Clamps and stores the complete column in the groups 0 and 1.
.macro emit rows, column
    mova {z16.d-z19.d}, za.d[w8, 0, vgx4]
    mova {z20.d-z23.d}, za.d[w8, 1, vgx4]
    narrow 16, 20
    narrow 17, 21
    narrow 18, 22
    narrow 19, 23
    fmax {z16.h-z19.h}, {z16.h-z19.h}, z9.h
    fmin {z16.h-z19.h}, {z16.h-z19.h}, z10.h
    store_row 0, \rows, 16, 21, \column
    store_row 1, \rows, 17, 22, \column
    store_row 2, \rows, 18, 23, \column
    store_row 3, \rows, 19, 24, \column
    .if \rows > 4
    mova {z20.d-z23.d}, za.d[w9, 0, vgx4]
    mova {z24.d-z27.d}, za.d[w9, 1, vgx4]
    narrow 20, 24
    narrow 21, 25
    narrow 22, 26
    narrow 23, 27
    fmax {z20.h-z23.h}, {z20.h-z23.h}, z9.h
    fmin {z20.h-z23.h}, {z20.h-z23.h}, z10.h
    store_row 4, \rows, 20, 25, \column
    store_row 5, \rows, 21, 26, \column
    store_row 6, \rows, 22, 27, \column
    store_row 7, \rows, 23, 28, \column
    .endif
.endm

// Weights, biases and predicates of the channels from x3 on.
.macro channel_start
    whilelt p2.h, x3, x4
    ld1w {z12.s-z15.s}, pn8/z, [x5, #-12, mul vl]
    ld1w {z28.s-z31.s}, pn8/z, [x5, #-8, mul vl]
    ld1h {z0.h-z3.h}, pn8/z, [x5, #-4, mul vl]
    ld1h {z4.h-z7.h}, pn8/z, [x5]
    ld1h {z8.h}, p0/z, [x5, #4, mul vl]
    addvl x5, x5, #17
    and p1.b, p5/z, p2.b, p2.b
    and p3.b, p6/z, p2.b, p2.b
    mov x1, x3
    add w9, w8, #8
.endm

#include "kernels/depthwise/depthwise_3x3_sme2_asm.inc"

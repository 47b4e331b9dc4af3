/* kernels/depthwise/depthwise_rows_f16_sme2_asm.S: depthwise convolution of few channels of halves with sums in
 * f32, see depthwise_rows_sme2_asm.inc.
 *
 * FMLAL adds the even elements of vector k to array vector 2 r of quarter k for output row r, the odd ones to the
 * next, so that rows 2 i and 2 i + 1 are four neighbours of each quarter. Four rows take vectors of 256 bits. */
#include "kernels/cpu/asm.h"

#define FUNCTION_3X3 sl_depthwise_rows_f16_3x3_sme2_asm
#define FUNCTION_5X5 sl_depthwise_rows_f16_5x5_sme2_asm
#define FUNCTION_3X3S2 sl_depthwise_rows_f16_3x3s2_sme2_asm
#define LOAD ld1h
#define STORE st1h
#define T h
#define LANES inch
#define SHIFT 1

.macro bounds
    fcvt h12, s12
    fcvt h13, s13
    mov z12.h, h12
    mov z13.h, h13
    fmov z14.h, #1.0
.endm

.macro add_to row, z, others:vararg
    .if \row == 0
    fmlal za.s[w8, 0:1, vgx4], {\z}, \others
    .elseif \row == 1
    fmlal za.s[w8, 2:3, vgx4], {\z}, \others
    .elseif \row == 2
    fmlal za.s[w8, 4:5, vgx4], {\z}, \others
    .else
    fmlal za.s[w8, 6:7, vgx4], {\z}, \others
    .endif
.endm

.macro start_rows
    ld1h {z24.h-z27.h}, pn9/z, [x21]
    zero {za}
    add_to 0, z24.h-z27.h, z14.h
    add_to 1, z24.h-z27.h, z14.h
    add_to 2, z24.h-z27.h, z14.h
    add_to 3, z24.h-z27.h, z14.h
.endm

.macro product i, z, row, weight
    add_to \row, \z, {\weight}
.endm

// Output rows of array vectors \vectors of each quarter: the second one is stored first.
.macro finish_pair vectors, first, second
    mova {z0.b-z3.b}, za0h.b[w12, \vectors]
    mova {z4.b-z7.b}, za0h.b[w13, \vectors]
    mova {z8.b-z11.b}, za0h.b[w14, \vectors]
    mova {z16.b-z19.b}, za0h.b[w15, \vectors]
    fcvtn z24.h, {z2.s-z3.s}
    fcvtn z25.h, {z6.s-z7.s}
    fcvtn z26.h, {z10.s-z11.s}
    fcvtn z27.h, {z18.s-z19.s}
    fcvtn z20.h, {z0.s-z1.s}
    fcvtn z21.h, {z4.s-z5.s}
    fcvtn z22.h, {z8.s-z9.s}
    fcvtn z23.h, {z16.s-z17.s}
    fmax {z24.h-z27.h}, {z24.h-z27.h}, z12.h
    fmin {z24.h-z27.h}, {z24.h-z27.h}, z13.h
    fmax {z20.h-z23.h}, {z20.h-z23.h}, z12.h
    fmin {z20.h-z23.h}, {z20.h-z23.h}, z13.h
    st1h {z24.h-z27.h}, pn8, [\second, x19, lsl #1]
    st1h {z20.h-z23.h}, pn8, [\first, x19, lsl #1]
.endm

.macro finish_rows
    finish_pair 4:7, x6, x7
    finish_pair 0:3, x4, x5
.endm

#include "kernels/depthwise/depthwise_rows_sme2_asm.inc"

/* kernels/depthwise/depthwise_f16_fours_sme2_asm.S: 3x3 depthwise convolution of halves at stride 2 of one vector of
 * channels with sums in f32, see depthwise_fours_sme2_asm.inc.
 *
 * FMLAL adds even channels to one row of ZA and odd ones to the next, of two output columns to four neighbours; output
 * rows are a quarter of ZA apart, w12-w15. VL is at least 8. */
#include "kernels/cpu/asm.h"

#define FUNCTION sl_depthwise_f16_3x3s2_fours_sme2_asm
#define LOAD ld1h
#define STORE st1h
#define T h
#define SHIFT 1
#define FIRST_TAP 8

.macro bounds
    fcvt h10, s10
    fcvt h11, s11
    mov z10.h, h10
    mov z11.h, h11
.endm

.macro bias_registers
    ldr z12, [x5]
    ldr z13, [x5, #4, mul vl]
    mov z14.d, z12.d
    mov z15.d, z13.d
    mov w12, wzr
    cntw x13
    add w14, w13, w13
    add w15, w14, w13
.endm

.macro product at, rows, weight
    .if \at == 0
    fmlal za.s[w8, 0:1, vgx4], {\rows}, \weight
    .elseif \at == 1
    fmlal za.s[w8, 2:3, vgx4], {\rows}, \weight
    .elseif \at == 2
    fmlal za.s[w8, 4:5, vgx4], {\rows}, \weight
    .else
    fmlal za.s[w8, 6:7, vgx4], {\rows}, \weight
    .endif
.endm

// Row i of ZA of output columns \a and the next, to or from a quad.
.macro biases_row i, rows, a, index
    .if \i >= \rows
    .elseif \a == 0
    mova za0h.b[\index, 0:3], {z12.b-z15.b}
    .else
    mova za0h.b[\index, 4:7], {z12.b-z15.b}
    .endif
.endm

.macro biases rows, a, b
    biases_row 0, \rows, \a, w12
    biases_row 1, \rows, \a, w13
    biases_row 2, \rows, \a, w14
    biases_row 3, \rows, \a, w15
.endm

.macro emit_row i, rows, a, index, first, second
    .if \i < \rows
    .if \a < 2
    mova {z16.b-z19.b}, za0h.b[\index, 0:3]
    .else
    mova {z16.b-z19.b}, za0h.b[\index, 4:7]
    .endif
    .if \a % 2 == 0
    fcvtn \first\().h, {z16.s-z17.s}
    .endif
    fcvtn \second\().h, {z18.s-z19.s}
    .endif
.endm

.macro columns_to rows, a
    emit_row 0, \rows, \a, w12, z24, z25
    emit_row 1, \rows, \a, w13, z26, z27
    emit_row 2, \rows, \a, w14, z28, z29
    emit_row 3, \rows, \a, w15, z30, z31
    fmax {z24.h-z27.h}, {z24.h-z27.h}, z10.h
    fmin {z24.h-z27.h}, {z24.h-z27.h}, z11.h
    .if \rows > 2
    fmax {z28.h-z31.h}, {z28.h-z31.h}, z10.h
    fmin {z28.h-z31.h}, {z28.h-z31.h}, z11.h
    .endif
.endm

.macro emit rows, a, b
    columns_to \rows, \a
    store 0, \rows, pn8, z24.h-z25.h
    store 1, \rows, pn8, z26.h-z27.h
    store 2, \rows, pn8, z28.h-z29.h
    store 3, \rows, pn8, z30.h-z31.h
.endm

.macro emit_one rows, at
    columns_to \rows, \at
    .if \at == 0
    store_ones \rows, z24.h, z26.h, z28.h, z30.h
    .else
    store_ones \rows, z25.h, z27.h, z29.h, z31.h
    .endif
.endm

.macro store_ones rows, first, second, third, fourth
    store 0, \rows, p1, \first
    store 1, \rows, p1, \second
    store 2, \rows, p1, \third
    store 3, \rows, p1, \fourth
.endm

.macro other_columns
    mov w8, #4
    mov w12, #4
    add w13, w13, #4
    add w14, w14, #4
    add w15, w15, #4
.endm

#include "kernels/depthwise/depthwise_fours_sme2_asm.inc"

/* kernels/depthwise/depthwise_rows_qs8_sme2_asm.S: int8 depthwise convolution of few channels: a row of output
 * after the other, four vectors of it at a time, each with the weights of its own channel.
 *
 * sl_depthwise_rows_qs8_3x3_sme2_asm(const struct sl_depthwise_rows *), _5x5_ likewise, in streaming mode with
 * ZA on. The readable form is depthwise_qs8_scalar.c.
 *
 * SMLALL adds byte 4 i + j of vector k to word i of array vector j of quarter k. The sums start with 16 vectors
 * in that order; then come the taps, and the scales in the order of the sums. */
#include "kernels/cpu/asm.h"

// struct sl_depthwise_rows
#define IN 0
#define LINE 16
#define ELEMENTS 32
#define ODD 48
#define WEIGHTS 64
#define BOUNDS 80

.macro tap row, at
    ld1b {z0.b-z3.b}, pn9/z, [\row, x9]
    ld1b {z16.b-z19.b}, pn9/z, [x21, #\at, mul vl]
    smlall za.s[w8, 0:3, vgx4], {z0.b-z3.b}, {z16.b-z19.b}
.endm

.macro column size, next
    tap x10, 0
    tap x11, 4
    tap x16, 8
    .if \size == 5
    tap x24, 12
    tap x25, 16
    .endif
    add x9, x9, \next
    addvl x21, x21, #(4 * \size)
.endm

.macro start at, quarter
    ld1w {z0.s-z3.s}, pn9/z, [x21, #\at, mul vl]
    mova za0h.b[\quarter, 0:3], {z0.b-z3.b}
.endm

.macro finish at, quarter, to
    mova {z28.b-z31.b}, za0h.b[\quarter, 0:3]
    ld1w {z0.s-z3.s}, pn9/z, [x21, #\at, mul vl]
    scvtf {z28.s-z31.s}, {z28.s-z31.s}
    fmul z28.s, z28.s, z0.s
    fmul z29.s, z29.s, z1.s
    fmul z30.s, z30.s, z2.s
    fmul z31.s, z31.s, z3.s
    frintn {z28.s-z31.s}, {z28.s-z31.s}
    fcvtzs {z28.s-z31.s}, {z28.s-z31.s}
    sclamp {z28.s-z31.s}, z4.s, z5.s
    add {z28.s-z31.s}, {z28.s-z31.s}, z6.s
    sqcvtn \to, {z28.s-z31.s}
.endm

.macro rows_of size
    stp x19, x20, [sp, #-64]!
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    str x25, [sp, #48]
    ldp x1, x3, [x0, #IN]
    ldp x2, x4, [x0, #LINE]     // bytes of an input row; output
    ldp x6, x7, [x0, #ELEMENTS] // elements of a row, rows
    ldp x17, x19, [x0, #ODD]
    ldp x20, x22, [x0, #WEIGHTS]
    ptrue p0.s
    ptrue pn9.b
    ld1rw {z4.s}, p0/z, [x0, #BOUNDS]
    ld1rw {z5.s}, p0/z, [x0, #(BOUNDS + 4)]
    ld1rw {z6.s}, p0/z, [x0, #(BOUNDS + 8)]
    mov w8, wzr
    mov w12, wzr
    cntw x13
    add w14, w13, w13
    add w15, w14, w13
1:  add x11, x1, x2             // the window's rows
    add x16, x11, x2
    .if \size == 5
    add x24, x16, x2
    add x25, x24, x2
    .endif
    mov x10, x1
    mov x5, xzr                 // element of the row
    mov x21, x20
    mov x23, x22
2:  whilelt pn8.b, x5, x6, vlx4
    start 0, w12
    start 4, w13
    start 8, w14
    start 12, w15
    addvl x21, x21, #16
    mov x9, x5
    column \size, x17
    column \size, x19
    column \size, x17
    .if \size == 5
    column \size, x19
    column \size, x17
    .endif
    finish 0, w12, z24.b
    finish 4, w13, z25.b
    finish 8, w14, z26.b
    finish 12, w15, z27.b
    st1b {z24.b-z27.b}, pn8, [x4, x5]
    addvl x21, x21, #16
    addvl x5, x5, #4
    subs x23, x23, #1
    b.ne 3f
    mov x21, x20
    mov x23, x22
3:  cmp x5, x6
    b.lo 2b
    add x1, x1, x3
    add x4, x4, x6
    subs x7, x7, #1
    b.ne 1b
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldr x25, [sp, #48]
    ldp x19, x20, [sp], #64
    ret
.endm

function_begin sl_depthwise_rows_qs8_3x3_sme2_asm
    rows_of 3
function_end sl_depthwise_rows_qs8_3x3_sme2_asm

function_begin sl_depthwise_rows_qs8_5x5_sme2_asm
    rows_of 5
function_end sl_depthwise_rows_qs8_5x5_sme2_asm

/* kernels/depthwise/depthwise_rows_qs8_sme2_asm.S: int8 depthwise convolution of few channels: a row of output
 * after the other, four vectors of it at a time, each with the weights of its own channel.
 *
 * sl_depthwise_rows_qs8_3x3_sme2_asm(const struct sl_depthwise_rows *), _5x5_ likewise, in streaming mode with
 * ZA on. The readable form is depthwise_qs8_scalar.c.
 *
 * SMLALL adds byte 4 i + j of vector k to word i of array vector j of quarter k. The sums start with 16 vectors
 * in that order; then come the taps, and the scales in the order of the sums. */
#include "kernels/cpu/asm.h"
#include "kernels/depthwise/depthwise_bytes_sme2_asm.inc"

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

// Quarter \at, in \first to \last, by its scales.
.macro scale at, first, last
    ld1w {z0.s-z3.s}, pn9/z, [x21, #(4 * \at), mul vl]
    fmla za.s[w8, \at, vgx4], {z\first\().s-z\last\().s}, {z0.s-z3.s}
.endm

// Four registers of the word \from.
.macro fill_four from, a, b, c, d
    mov z\a\().s, \from
    mov z\b\().s, \from
    mov z\c\().s, \from
    mov z\d\().s, \from
.endm

.macro rows_of size
    stp d8, d9, [sp, #-128]!
    stp d10, d11, [sp, #16]
    stp d12, d13, [sp, #32]
    stp d14, d15, [sp, #48]
    stp x19, x20, [sp, #64]
    stp x21, x22, [sp, #80]
    stp x23, x24, [sp, #96]
    str x25, [sp, #112]
    ldp w1, w2, [x0, #BOUNDS]
    ldr w3, [x0, #(BOUNDS + 8)]
    mov w4, #WHOLE
    add w1, w1, w4
    add w2, w2, w4
    sub w3, w3, w4
    mov z4.s, w1
    mov z5.s, w2
    fill_four w4, 8, 9, 10, 11
    fill_four w3, 12, 13, 14, 15
    ldp x1, x3, [x0, #IN]
    ldp x2, x4, [x0, #LINE]     // bytes of an input row; output
    ldp x6, x7, [x0, #ELEMENTS] // elements of a row, rows
    ldp x17, x19, [x0, #ODD]
    ldp x20, x22, [x0, #WEIGHTS]
    ptrue p0.s
    ptrue pn9.b
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
    sums_to_floats
    scale 0, 16, 19
    scale 1, 20, 23
    scale 2, 24, 27
    scale 3, 28, 31
    floats_to_bytes z4.s, z5.s, "", 8, 11, "", 12, 15
    st1b {z16.b, z20.b, z24.b, z28.b}, pn8, [x4, x5]
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
    ldp d10, d11, [sp, #16]
    ldp d12, d13, [sp, #32]
    ldp d14, d15, [sp, #48]
    ldp x19, x20, [sp, #64]
    ldp x21, x22, [sp, #80]
    ldp x23, x24, [sp, #96]
    ldr x25, [sp, #112]
    ldp d8, d9, [sp], #128
    ret
.endm

function_begin sl_depthwise_rows_qs8_3x3_sme2_asm
    rows_of 3
function_end sl_depthwise_rows_qs8_3x3_sme2_asm

function_begin sl_depthwise_rows_qs8_5x5_sme2_asm
    rows_of 5
function_end sl_depthwise_rows_qs8_5x5_sme2_asm

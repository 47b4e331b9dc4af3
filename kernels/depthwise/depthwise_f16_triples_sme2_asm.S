/* kernels/depthwise/depthwise_f16_triples_sme2_asm.S: a strip of up to 4 output rows of a 3x3 depthwise convolution
 * of halves at stride 2 with sums in f32, three vectors of channels after three others.
 *
 * sl_depthwise_f16_3x3s2_triples_sme2_asm(const struct sl_depthwise_f16_strip *), in streaming mode with ZA on; VL is
 * at least 16. What it computes is stated by sl_depthwise_strip_scalar() in depthwise_strip_scalar.c, but for type and
 * order of weights. Of z8-z15 it keeps what the ABI asks for.
 *
 * One load of four strided vectors brings three vectors of channels of a pixel: rows 0, 2, 4, 6 to z16-z19, z20-z23
 * and z24-z27, odd ones to z0-z3, z4-z7 and z8-z11, so that one FMLAL by a weight, one of z12-z15, serves four output
 * rows. Row 8 follows row 6 when row 0 has been multiplied: its load begins a vector early, so that its vectors
 * take z20, z24 and z28. What lies a vector before it is of the row or pixel before: it is never the first of an image.
 *
 * Even and odd channels of the three vectors are six neighbouring rows of ZA, from 0 or from 8 for output columns in
 * turn; output rows are a quarter of ZA apart. */
#include "kernels/cpu/asm.h"

// struct sl_depthwise_f16_strip
#define IN 0
#define OUT 16
#define WEIGHTS 32
#define LEAD 48
#define BODY 56
#define TRAIL 64
#define ROWS 72
#define TOP 80
#define CLAMP 88

// x1: element of the column and its channels. x2: channels. x3: first channel. x4: element of the output. x5: weights:
// 8 vectors before it the biases, here the last weight of each kernel column, then eight of each. x6: output columns to
// come. Rows: x30 x11 x16 x17 x19-x23, of output x24-x27. pn9 to pn11: channels of rows between, of the first, the
// last. w8, w10: output columns in turn. w12-w15: output rows. Bounds are in memory, from sp on.

.macro load_row i, last, a, b, c, d, x
    .if \i == 0
    ld1h {z\a\().h, z\b\().h, z\c\().h, z\d\().h}, pn10/z, [\x, x1, lsl #1]
    .elseif \i < \last
    ld1h {z\a\().h, z\b\().h, z\c\().h, z\d\().h}, pn9/z, [\x, x1, lsl #1]
    .elseif \i == \last
    ld1h {z\a\().h, z\b\().h, z\c\().h, z\d\().h}, pn11/z, [\x, x1, lsl #1]
    .endif
.endm

.macro load_column rows
    load_row 0, (2 * \rows), 16, 20, 24, 28, x30
    load_row 1, (2 * \rows), 0, 4, 8, 12, x11
    load_row 2, (2 * \rows), 17, 21, 25, 29, x16
    load_row 3, (2 * \rows), 1, 5, 9, 13, x17
    load_row 4, (2 * \rows), 18, 22, 26, 30, x19
    load_row 5, (2 * \rows), 2, 6, 10, 14, x20
    load_row 6, (2 * \rows), 19, 23, 27, 31, x21
    load_row 7, (2 * \rows), 3, 7, 11, 15, x22
.endm

// The first four weights of kernel column \k, which leave row 0 behind, and the other five.
.macro upper_taps column, k
    ld1h {z12.h-z15.h}, pn8/z, [x5, #4 + 8 * \k, mul vl]
    fmlal za.s[\column, 0:1, vgx4], {z16.h-z19.h}, z12.h
    fmlal za.s[\column, 2:3, vgx4], {z20.h-z23.h}, z13.h
    fmlal za.s[\column, 4:5, vgx4], {z24.h-z27.h}, z14.h
    fmlal za.s[\column, 0:1, vgx4], {z0.h-z3.h}, z15.h
.endm

.macro lower_taps column, k
    ld1h {z12.h-z15.h}, pn8/z, [x5, #8 + 8 * \k, mul vl]
    fmlal za.s[\column, 2:3, vgx4], {z4.h-z7.h}, z12.h
    fmlal za.s[\column, 4:5, vgx4], {z8.h-z11.h}, z13.h
    ld1h {z12.h}, p0/z, [x5, #\k, mul vl]
    fmlal za.s[\column, 0:1, vgx4], {z17.h-z20.h}, z14.h
    fmlal za.s[\column, 2:3, vgx4], {z21.h-z24.h}, z15.h
    fmlal za.s[\column, 4:5, vgx4], {z25.h-z28.h}, z12.h
.endm

// An input column that is column \k of one window.
.macro lone_column rows, column, k
    load_column \rows
    upper_taps \column, \k
    load_row 8, (2 * \rows), 16, 20, 24, 28, x23
    lower_taps \column, \k
    add x1, x1, x2
.endm

// An input column that is the last of one window and the first of the next.
.macro shared_column rows, column, next
    load_column \rows
    upper_taps \column, 2
    upper_taps \next, 0
    load_row 8, (2 * \rows), 16, 20, 24, 28, x23
    lower_taps \column, 2
    lower_taps \next, 0
    add x1, x1, x2
.endm

.macro bias_row i, rows, index, four, two
    .if \i < \rows
    mova za0h.b[\index, \four], {z0.b-z3.b}
    mova za0h.b[\index, \two], {z4.b-z5.b}
    .endif
.endm

.macro biases_to rows, four, two
    ld1w {z0.s-z3.s}, pn8/z, [x5, #-8, mul vl]
    ld1w {z4.s-z5.s}, pn8/z, [x5, #-4, mul vl]
    bias_row 0, \rows, w12, \four, \two
    bias_row 1, \rows, w13, \four, \two
    bias_row 2, \rows, w14, \four, \two
    bias_row 3, \rows, w15, \four, \two
.endm

.macro emit_row i, rows, index, four, two, a, b, c, d, x
    .if \i < \rows
    mova {z0.b-z3.b}, za0h.b[\index, \four]
    mova {z4.b-z5.b}, za0h.b[\index, \two]
    fcvtn z\a\().h, {z0.s-z1.s}
    fcvtn z\b\().h, {z2.s-z3.s}
    fcvtn z\c\().h, {z4.s-z5.s}
    fmax {z\a\().h-z\d\().h}, {z\a\().h-z\d\().h}, z14.h
    fmin {z\a\().h-z\d\().h}, {z\a\().h-z\d\().h}, z15.h
    st1h {z\a\().h-z\d\().h}, pn9, [\x, x4, lsl #1]
    .endif
.endm

// Clamps and stores a complete output column.
.macro emit rows, four, two
    ld1rh {z14.h}, p0/z, [sp]
    ld1rh {z15.h}, p0/z, [sp, #2]
    emit_row 0, \rows, w12, \four, \two, 16, 17, 18, 19, x24
    emit_row 1, \rows, w13, \four, \two, 20, 21, 22, 23, x25
    emit_row 2, \rows, w14, \four, \two, 24, 25, 26, 27, x26
    emit_row 3, \rows, w15, \four, \two, 28, 29, 30, 31, x27
.endm

.macro output_column rows, column, next, four, two
    lone_column \rows, \column, 1
    shared_column \rows, \column, \next
    emit \rows, \four, \two
    biases_to \rows, \four, \two
    add x4, x4, x2
.endm

// Predicates of the channels from x3 on; the last of eight rows has a vector before them.
.macro channel_start rows
    sub x6, x2, x3
    cnth x7, all, mul #3
    cmp x6, x7
    csel x6, x6, x7, lo
    whilelt pn9.h, xzr, x6, vlx4
    ldp w1, w7, [x0, #TOP]
    cmp w1, #0
    csel x1, x6, xzr, eq
    whilelt pn10.h, xzr, x1, vlx4
    .if \rows == 4
    inch x6
    .endif
    cmp w7, #0
    csel x6, x6, xzr, eq
    whilelt pn11.h, xzr, x6, vlx4
    mov x1, x3
    mov x4, x3
.endm

.macro columns rows
10: channel_start \rows
    biases_to \rows, 0:3, 4:5
    biases_to \rows, 8:11, 12:13
    ldr x6, [x0, #LEAD]
    cbz x6, 20f
    lone_column \rows, w8, 0    // the first window starts inside
20: ldp x6, x7, [x0, #BODY]
    cbz x6, 40f
30: output_column \rows, w8, w10, 0:3, 4:5
    subs x6, x6, #1
    b.eq 50f
    output_column \rows, w10, w8, 8:11, 12:13
    subs x6, x6, #1
    b.ne 30b
40: cbz x7, 60f
    lone_column \rows, w8, 1    // the last column of the last window is padding
    emit \rows, 0:3, 4:5
    b 60f
50: cbz x7, 60f
    lone_column \rows, w10, 1
    emit \rows, 8:11, 12:13
60: addvl x5, x5, #18
    addvl x5, x5, #18
    inch x3, all, mul #3
    cnth x6, all, mul #2        // triples go on while more than two vectors are left
    add x6, x6, x3
    cmp x6, x2
    b.lo 10b
    b 90f
.endm

.macro when_rows rows
    cmp x9, #\rows
    b.ne 70f
    columns \rows
70:
.endm

function_begin sl_depthwise_f16_3x3s2_triples_sme2_asm
    sub sp, sp, #160
    stp d8, d9, [sp, #16]
    stp d10, d11, [sp, #32]
    stp d12, d13, [sp, #48]
    stp d14, d15, [sp, #64]
    stp x19, x20, [sp, #80]
    stp x21, x22, [sp, #96]
    stp x23, x24, [sp, #112]
    stp x25, x26, [sp, #128]
    stp x27, x30, [sp, #144]
    ptrue p0.h
    ptrue pn8.h
    ldp s0, s1, [x0, #CLAMP]
    fcvt h0, s0
    fcvt h1, s1
    str h0, [sp]
    str h1, [sp, #2]
    mov w8, wzr
    mov w10, #8
    mov w12, wzr
    cntw x13
    add w14, w13, w13
    add w15, w14, w13
    ldp x24, x9, [x0, #OUT]
    add x25, x24, x9
    add x26, x25, x9
    add x27, x26, x9
    ldp x5, x2, [x0, #WEIGHTS]
    addvl x5, x5, #8
    mov x3, xzr
    ldp x30, x9, [x0, #IN]
    add x11, x30, x9
    add x16, x11, x9
    add x17, x16, x9
    add x19, x17, x9
    add x20, x19, x9
    add x21, x20, x9
    add x22, x21, x9
    add x23, x22, x9
    addvl x23, x23, #-1
    ldr x9, [x0, #ROWS]
    when_rows 4
    when_rows 3
    when_rows 2
    when_rows 1
90: ldp d8, d9, [sp, #16]
    ldp d10, d11, [sp, #32]
    ldp d12, d13, [sp, #48]
    ldp d14, d15, [sp, #64]
    ldp x19, x20, [sp, #80]
    ldp x21, x22, [sp, #96]
    ldp x23, x24, [sp, #112]
    ldp x25, x26, [sp, #128]
    ldp x27, x30, [sp, #144]
    add sp, sp, #160
    ret
function_end sl_depthwise_f16_3x3s2_triples_sme2_asm

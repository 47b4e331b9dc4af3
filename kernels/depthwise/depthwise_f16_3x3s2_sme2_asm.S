/* kernels/depthwise/depthwise_f16_3x3s2_sme2_asm.S: a strip of up to 4 output rows of a 3x3 depthwise convolution of
 * halves at stride 2 with sums in f32, two or three vectors of channels together.
 *
 * sl_depthwise_f16_3x3s2_pairs_sme2_asm(const struct sl_depthwise_f16_strip *) and _triples_ likewise, in streaming mode
 * with ZA on; VL is at least 8, for three vectors 16. What they compute is stated by sl_depthwise_strip_scalar() in
 * depthwise_strip_scalar.c, but for type and order of weights. Of z8-z15 they keep what the ABI asks for.
 *
 * One load of strided vectors brings the channels of a pixel, so that even rows are neighbouring registers for each
 * vector, and odd ones are, and one FMLAL by a weight serves four output rows. Of two vectors even rows go to z16-z20
 * and z24-z28, odd ones to z0-z3 and z8-z11. Of three, rows 0, 2, 4, 6 go to z16-z19, z20-z23 and z24-z27, odd ones to
 * z0-z3, z4-z7 and z8-z11; row 8 follows row 6 when row 0 has been multiplied: its load begins a vector early, so that
 * its vectors take z20, z24 and z28. What lies a vector before it is of the image too, since it is never the first row.
 *
 * Even and odd channels of the vectors are neighbouring rows of ZA, from 0 or from w10 on for output columns in turn;
 * output rows are a quarter of ZA apart. */
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
#define FIRST 96
#define END 104

// x1: element of the column and its channels. x2: channels. x3: first channel. x4: element of the output. x5: weights.
// x6: output columns to come. x28: channel to end before. Rows: x30 x11 x16 x17 x19-x23, of output x24-x27. pn9 to pn11:
// channels of rows between, of the first, the last. w8, w10: output columns in turn. w12-w15: output rows. Bounds are in
// memory, from sp on; two vectors leave z14 and z15 to them. Macros of two vectors end in _2, of three in _3.

.macro to_row i, rows, index, slices, from
    .if \i < \rows
    mova za0h.b[\index, \slices], {\from}
    .endif
.endm

.macro to_rows rows, slices, from
    to_row 0, \rows, w12, \slices, \from
    to_row 1, \rows, w13, \slices, \from
    to_row 2, \rows, w14, \slices, \from
    to_row 3, \rows, w15, \slices, \from
.endm

.macro bounds
    ld1rh {z14.h}, p0/z, [sp]
    ld1rh {z15.h}, p0/z, [sp, #2]
.endm

.macro bounded i, rows, registers
    .if \i < \rows
    fmax {\registers}, {\registers}, z14.h
    fmin {\registers}, {\registers}, z15.h
    .endif
.endm

.macro store_row i, rows, registers, x
    .if \i < \rows
    st1h {\registers}, pn9, [\x, x4, lsl #1]
    .endif
.endm

.macro row_2 i, last, a, b, x
    .if \i == 0
    ld1h {z\a\().h, z\b\().h}, pn10/z, [\x, x1, lsl #1]
    .elseif \i < \last
    ld1h {z\a\().h, z\b\().h}, pn9/z, [\x, x1, lsl #1]
    .elseif \i == \last
    ld1h {z\a\().h, z\b\().h}, pn11/z, [\x, x1, lsl #1]
    .endif
.endm

.macro load_column_2 rows
    row_2 0, (2 * \rows), 16, 24, x30
    row_2 1, (2 * \rows), 0, 8, x11
    row_2 2, (2 * \rows), 17, 25, x16
    row_2 3, (2 * \rows), 1, 9, x17
    row_2 4, (2 * \rows), 18, 26, x19
    row_2 5, (2 * \rows), 2, 10, x20
    row_2 6, (2 * \rows), 19, 27, x21
    row_2 7, (2 * \rows), 3, 11, x22
    row_2 8, (2 * \rows), 20, 28, x23
.endm

.macro load_last_2 rows
.endm

// Two weights of kernel column \k, and the other four.
.macro upper_taps_2 column, k
    ld1h {z12.h-z13.h}, pn8/z, [x5, #2 * \k - 6, mul vl]
    fmlal za.s[\column, 0:1, vgx4], {z16.h-z19.h}, z12.h
    fmlal za.s[\column, 2:3, vgx4], {z24.h-z27.h}, z13.h
.endm

.macro lower_taps_2 column, k
    ld1h {z4.h-z7.h}, pn8/z, [x5, #4 + 4 * \k, mul vl]
    fmlal za.s[\column, 0:1, vgx4], {z0.h-z3.h}, z4.h
    fmlal za.s[\column, 2:3, vgx4], {z8.h-z11.h}, z5.h
    fmlal za.s[\column, 0:1, vgx4], {z17.h-z20.h}, z6.h
    fmlal za.s[\column, 2:3, vgx4], {z25.h-z28.h}, z7.h
.endm

.macro biases_2 four, two, rows
    ld1w {z0.s-z3.s}, pn8/z, [x5, #0, mul vl]
    to_rows \rows, \four, z0.b-z3.b
.endm

.macro emit_row_2 i, rows, index, four, a, b
    .if \i < \rows
    mova {z0.b-z3.b}, za0h.b[\index, \four]
    fcvtn z\a\().h, {z0.s-z1.s}
    fcvtn z\b\().h, {z2.s-z3.s}
    .endif
.endm

.macro emit_2 four, two, rows
    emit_row_2 0, \rows, w12, \four, 16, 17
    emit_row_2 1, \rows, w13, \four, 18, 19
    emit_row_2 2, \rows, w14, \four, 20, 21
    emit_row_2 3, \rows, w15, \four, 22, 23
    bounded 0, \rows, z16.h-z19.h
    bounded 2, \rows, z20.h-z23.h
    store_row 0, \rows, z16.h-z17.h, x24
    store_row 1, \rows, z18.h-z19.h, x25
    store_row 2, \rows, z20.h-z21.h, x26
    store_row 3, \rows, z22.h-z23.h, x27
.endm

.macro row_3 i, last, a, b, c, d, x
    .if \i == 0
    ld1h {z\a\().h, z\b\().h, z\c\().h, z\d\().h}, pn10/z, [\x, x1, lsl #1]
    .elseif \i < \last
    ld1h {z\a\().h, z\b\().h, z\c\().h, z\d\().h}, pn9/z, [\x, x1, lsl #1]
    .elseif \i == \last
    ld1h {z\a\().h, z\b\().h, z\c\().h, z\d\().h}, pn11/z, [\x, x1, lsl #1]
    .endif
.endm

.macro load_column_3 rows
    row_3 0, (2 * \rows), 16, 20, 24, 28, x30
    row_3 1, (2 * \rows), 0, 4, 8, 12, x11
    row_3 2, (2 * \rows), 17, 21, 25, 29, x16
    row_3 3, (2 * \rows), 1, 5, 9, 13, x17
    row_3 4, (2 * \rows), 18, 22, 26, 30, x19
    row_3 5, (2 * \rows), 2, 6, 10, 14, x20
    row_3 6, (2 * \rows), 19, 23, 27, 31, x21
    row_3 7, (2 * \rows), 3, 7, 11, 15, x22
.endm

.macro load_last_3 rows
    row_3 8, (2 * \rows), 16, 20, 24, 28, x23
.endm

// The first four weights of kernel column \k, after which row 0 is not needed, and the other five.
.macro upper_taps_3 column, k
    ld1h {z12.h-z15.h}, pn8/z, [x5, #4 + 8 * \k, mul vl]
    fmlal za.s[\column, 0:1, vgx4], {z16.h-z19.h}, z12.h
    fmlal za.s[\column, 2:3, vgx4], {z20.h-z23.h}, z13.h
    fmlal za.s[\column, 4:5, vgx4], {z24.h-z27.h}, z14.h
    fmlal za.s[\column, 0:1, vgx4], {z0.h-z3.h}, z15.h
.endm

.macro lower_taps_3 column, k
    ld1h {z12.h-z15.h}, pn8/z, [x5, #8 + 8 * \k, mul vl]
    fmlal za.s[\column, 2:3, vgx4], {z4.h-z7.h}, z12.h
    fmlal za.s[\column, 4:5, vgx4], {z8.h-z11.h}, z13.h
    ld1h {z12.h}, p0/z, [x5, #\k, mul vl]
    fmlal za.s[\column, 0:1, vgx4], {z17.h-z20.h}, z14.h
    fmlal za.s[\column, 2:3, vgx4], {z21.h-z24.h}, z15.h
    fmlal za.s[\column, 4:5, vgx4], {z25.h-z28.h}, z12.h
.endm

.macro biases_3 four, two, rows
    ld1w {z0.s-z3.s}, pn8/z, [x5, #-8, mul vl]
    ld1w {z4.s-z5.s}, pn8/z, [x5, #-4, mul vl]
    to_rows \rows, \four, z0.b-z3.b
    to_rows \rows, \two, z4.b-z5.b
.endm

.macro emit_row_3 i, rows, index, four, two, a, b, c, d, x
    .if \i < \rows
    mova {z0.b-z3.b}, za0h.b[\index, \four]
    mova {z4.b-z5.b}, za0h.b[\index, \two]
    fcvtn z\a\().h, {z0.s-z1.s}
    fcvtn z\b\().h, {z2.s-z3.s}
    fcvtn z\c\().h, {z4.s-z5.s}
    bounded \i, \rows, z\a\().h-z\d\().h
    store_row \i, \rows, z\a\().h-z\d\().h, \x
    .endif
.endm

.macro emit_3 four, two, rows
    emit_row_3 0, \rows, w12, \four, \two, 16, 17, 18, 19, x24
    emit_row_3 1, \rows, w13, \four, \two, 20, 21, 22, 23, x25
    emit_row_3 2, \rows, w14, \four, \two, 24, 25, 26, 27, x26
    emit_row_3 3, \rows, w15, \four, \two, 28, 29, 30, 31, x27
.endm

// An input column that is column \k of one window.
.macro lone_column v, rows, column, k
    load_column_\v \rows
    upper_taps_\v \column, \k
    load_last_\v \rows
    lower_taps_\v \column, \k
    add x1, x1, x2
.endm

// An input column that is the last of one window and the first of the next.
.macro shared_column v, rows, column, next
    load_column_\v \rows
    upper_taps_\v \column, 2
    upper_taps_\v \next, 0
    load_last_\v \rows
    lower_taps_\v \column, 2
    lower_taps_\v \next, 0
    add x1, x1, x2
.endm

// Clamps and stores a complete output column.
.macro emit v, rows, four, two
    .if \v == 3
    bounds
    .endif
    emit_\v \four, \two, \rows
.endm

.macro output_column v, rows, column, next, four, two
    lone_column \v, \rows, \column, 1
    shared_column \v, \rows, \column, \next
    emit \v, \rows, \four, \two
    biases_\v \four, \two, \rows
    add x4, x4, x2
.endm

// Predicates of the channels from x3 on; the last of nine rows of three vectors has a vector before them.
.macro channel_start v, rows
    sub x6, x2, x3
    cnth x7, all, mul #\v
    cmp x6, x7
    csel x6, x6, x7, lo
    whilelt pn9.h, xzr, x6, vlx4
    ldp w1, w7, [x0, #TOP]
    cmp w1, #0
    csel x1, x6, xzr, eq
    whilelt pn10.h, xzr, x1, vlx4
    .if \v == 3 && \rows == 4
    inch x6
    .endif
    cmp w7, #0
    csel x6, x6, xzr, eq
    whilelt pn11.h, xzr, x6, vlx4
    mov x1, x3
    mov x4, x3
.endm

// \four, \two: rows of ZA of the second of two output columns; a third vector has the latter. \vectors: of weights.
.macro columns v, rows, four, two, vectors
10: channel_start \v, \rows
    biases_\v 0:3, 4:5, \rows
    biases_\v \four, \two, \rows
    ldr x6, [x0, #LEAD]
    cbz x6, 20f
    lone_column \v, \rows, w8, 0 // the first window starts inside
20: ldp x6, x7, [x0, #BODY]
    cbz x6, 40f
30: output_column \v, \rows, w8, w10, 0:3, 4:5
    subs x6, x6, #1
    b.eq 50f
    output_column \v, \rows, w10, w8, \four, \two
    subs x6, x6, #1
    b.ne 30b
40: cbz x7, 60f
    lone_column \v, \rows, w8, 1 // the last column of the last window is padding
    emit \v, \rows, 0:3, 4:5
    b 60f
50: cbz x7, 60f
    lone_column \v, \rows, w10, 1
    emit \v, \rows, \four, \two
60: addvl x5, x5, #(\vectors / 2)
    addvl x5, x5, #(\vectors / 2)
    inch x3, all, mul #\v
    cmp x3, x28
    b.lo 10b
    b 90f
.endm

.macro when_rows v, rows, four, two, vectors
    cmp x9, #\rows
    b.ne 70f
    columns \v, \rows, \four, \two, \vectors
70:
.endm

.macro strip v, next, four, two, vectors, biases
    sub sp, sp, #160
    stp d8, d9, [sp, #16]
    stp d10, d11, [sp, #32]
    stp d12, d13, [sp, #48]
    stp d14, d15, [sp, #64]
    stp x19, x20, [sp, #80]
    stp x21, x22, [sp, #96]
    stp x23, x24, [sp, #112]
    stp x25, x26, [sp, #128]
    stp x27, x28, [sp, #144]
    str x30, [sp, #8]
    ptrue p0.h
    ptrue pn8.h
    ldp s0, s1, [x0, #CLAMP]
    fcvt h0, s0
    fcvt h1, s1
    str h0, [sp]
    str h1, [sp, #2]
    bounds
    mov w8, wzr
    mov w10, #\next
    mov w12, wzr
    cntw x13
    add w14, w13, w13
    add w15, w14, w13
    ldp x24, x9, [x0, #OUT]
    add x25, x24, x9
    add x26, x25, x9
    add x27, x26, x9
    ldp x30, x9, [x0, #IN]
    add x11, x30, x9
    add x16, x11, x9
    add x17, x16, x9
    add x19, x17, x9
    add x20, x19, x9
    add x21, x20, x9
    add x22, x21, x9
    add x23, x22, x9
    .if \v == 3
    addvl x23, x23, #-1
    .endif
    ldp x5, x2, [x0, #WEIGHTS]
    addvl x5, x5, #\biases
    ldp x3, x28, [x0, #FIRST]
    ldr x9, [x0, #ROWS]
    when_rows \v, 4, \four, \two, \vectors
    when_rows \v, 3, \four, \two, \vectors
    when_rows \v, 2, \four, \two, \vectors
    when_rows \v, 1, \four, \two, \vectors
90: ldp d8, d9, [sp, #16]
    ldp d10, d11, [sp, #32]
    ldp d12, d13, [sp, #48]
    ldp d14, d15, [sp, #64]
    ldp x19, x20, [sp, #80]
    ldp x21, x22, [sp, #96]
    ldp x23, x24, [sp, #112]
    ldp x25, x26, [sp, #128]
    ldp x27, x28, [sp, #144]
    ldr x30, [sp, #8]
    add sp, sp, #160
    ret
.endm

// Weights of two vectors: two of each kernel column, here 4 vectors of biases, then four of each column.
function_begin sl_depthwise_f16_3x3s2_pairs_sme2_asm
    strip 2, 4, 4:7, 0:1, 22, 6
function_end sl_depthwise_f16_3x3s2_pairs_sme2_asm

// Weights of three vectors: 8 vectors of biases, here the last of each kernel column, a vector unused at 3, then eight of each column.
function_begin sl_depthwise_f16_3x3s2_triples_sme2_asm
    strip 3, 8, 8:11, 12:13, 36, 8
function_end sl_depthwise_f16_3x3s2_triples_sme2_asm

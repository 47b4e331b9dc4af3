/* kernels/depthwise/depthwise_f32_pairs_sme2_asm.S: a strip of up to 4 output rows of a 3x3 depthwise convolution at
 * stride 2, two vectors of channels after two others.
 *
 * sl_depthwise_3x3s2_pairs_sme2_asm(const struct sl_depthwise_strip *), in streaming mode with ZA on. What it computes
 * is stated by sl_depthwise_strip_scalar() in depthwise_strip_scalar.c, but for the order of weights. Of z8-z15 it keeps
 * what the ABI asks for.
 *
 * One load of two strided vectors brings both vectors of channels of a pixel: even rows to z16-z20 and z24-z28, odd
 * ones to z0-z3 and z8-z11, so that one FMLA by a weight serves four output rows. An output column has a group
 * of ZA for each vector, the next one the two groups after them. */
#include "kernels/cpu/asm.h"

// struct sl_depthwise_strip
#define IN 0
#define OUT 16
#define WEIGHTS 32
#define LEAD 48
#define BODY 56
#define TRAIL 64
#define ROWS 72
#define TOP 80
#define CLAMP 88

// x1: element of the column and its channels. x2: elements of a column step. x3: first channel. x4: channels. x5:
// weights: 16 vectors before it the biases, each four times, then four weights of each kernel column, then two
// of each. x25: element of the output. z14, z15: bounds. pn9 to pn11: channels of rows between, of the first, the last.

.macro load_row i, last, a, b, x
    .if \i == 0
    ld1w {z\a\().s, z\b\().s}, pn10/z, [\x, x1, lsl #2]
    .elseif \i < \last
    ld1w {z\a\().s, z\b\().s}, pn9/z, [\x, x1, lsl #2]
    .elseif \i == \last
    ld1w {z\a\().s, z\b\().s}, pn11/z, [\x, x1, lsl #2]
    .endif
.endm

.macro load_column rows
    load_row 0, (2 * \rows), 16, 24, x10
    load_row 2, (2 * \rows), 17, 25, x12
    load_row 1, (2 * \rows), 0, 8, x11
    load_row 4, (2 * \rows), 18, 26, x14
    load_row 3, (2 * \rows), 1, 9, x13
    load_row 6, (2 * \rows), 19, 27, x16
    load_row 5, (2 * \rows), 2, 10, x15
    load_row 8, (2 * \rows), 20, 28, x19
    load_row 7, (2 * \rows), 3, 11, x17
.endm

// The weights of a kernel column into the groups \at and \at + 1.
.macro taps at, four, two
    ld1w {z4.s-z7.s}, pn8/z, [x5, #\four, mul vl]
    ld1w {z12.s-z13.s}, pn8/z, [x5, #\two, mul vl]
    fmla za.s[w8, \at, vgx4], {z16.s-z19.s}, z4.s
    fmla za.s[w8, \at + 1, vgx4], {z24.s-z27.s}, z7.s
    fmla za.s[w8, \at, vgx4], {z0.s-z3.s}, z5.s
    fmla za.s[w8, \at + 1, vgx4], {z8.s-z11.s}, z12.s
    fmla za.s[w8, \at, vgx4], {z17.s-z20.s}, z6.s
    fmla za.s[w8, \at + 1, vgx4], {z25.s-z28.s}, z13.s
.endm

.macro biases_to at
    ld1w {z16.s-z19.s}, pn8/z, [x5, #-16, mul vl]
    ld1w {z24.s-z27.s}, pn8/z, [x5, #-12, mul vl]
    mova za.d[w8, \at, vgx4], {z16.d-z19.d}
    mova za.d[w8, \at + 1, vgx4], {z24.d-z27.d}
.endm

.macro store_row i, rows, a, b, x
    .if \i < \rows
    st1w {z\a\().s, z\b\().s}, pn9, [\x, x25, lsl #2]
    .endif
.endm

// Clamps and stores the complete column in groups 0 and 1.
.macro emit rows
    mova {z16.d-z19.d}, za.d[w8, 0, vgx4]
    mova {z24.d-z27.d}, za.d[w8, 1, vgx4]
    fmax {z16.s-z19.s}, {z16.s-z19.s}, z14.s
    fmax {z24.s-z27.s}, {z24.s-z27.s}, z14.s
    fmin {z16.s-z19.s}, {z16.s-z19.s}, z15.s
    fmin {z24.s-z27.s}, {z24.s-z27.s}, z15.s
    store_row 0, \rows, 16, 24, x21
    store_row 1, \rows, 17, 25, x22
    store_row 2, \rows, 18, 26, x23
    store_row 3, \rows, 19, 27, x24
.endm

.macro columns rows
10: sub x6, x4, x3
    whilelt pn9.s, xzr, x6, vlx2
    ldp w20, w26, [x0, #TOP]
    cmp w20, #0
    csel x20, x6, xzr, eq
    cmp w26, #0
    csel x26, x6, xzr, eq
    whilelt pn10.s, xzr, x20, vlx2
    whilelt pn11.s, xzr, x26, vlx2
    mov x1, x3
    mov x25, x3
    biases_to 0
    biases_to 2
    ldr x6, [x0, #LEAD]
    cbz x6, 20f
    load_column \rows           // the first window starts inside
    taps 0, 0, 8
    add x1, x1, x2
20: mov x6, x7
    cbz x6, 40f
30: load_column \rows           // the middle column of the window
    taps 0, -8, 4
    add x1, x1, x2
    load_column \rows           // its last, and the next one's first
    taps 0, -4, 6
    taps 2, 0, 8
    emit \rows
    add w8, w8, #2
    biases_to 2
    add x1, x1, x2
    add x25, x25, x2
    subs x6, x6, #1
    b.ne 30b
40: ldr x6, [x0, #TRAIL]
    cbz x6, 50f
    load_column \rows           // the last column of the last window is padding
    taps 0, -8, 4
    emit \rows
50: addvl x5, x5, #26
    incw x3, all, mul #2
    add x6, x3, x9              // pairs go on while more than one vector is left
    cmp x6, x4
    b.lo 10b
    b 90f
.endm

.macro when_rows rows
    ldr x6, [x0, #ROWS]
    cmp x6, #\rows
    b.ne 60f
    columns \rows
60:
.endm

function_begin sl_depthwise_3x3s2_pairs_sme2_asm
    stp d8, d9, [sp, #-128]!
    stp d10, d11, [sp, #16]
    stp d12, d13, [sp, #32]
    stp d14, d15, [sp, #48]
    stp x19, x20, [sp, #64]
    stp x21, x22, [sp, #80]
    stp x23, x24, [sp, #96]
    stp x25, x26, [sp, #112]
    ptrue pn8.s
    ldp s14, s15, [x0, #CLAMP]
    mov z14.s, s14
    mov z15.s, s15
    ldp x10, x9, [x0, #IN]
    add x11, x10, x9
    add x12, x11, x9
    add x13, x12, x9
    add x14, x13, x9
    add x15, x14, x9
    add x16, x15, x9
    add x17, x16, x9
    add x19, x17, x9
    ldp x21, x9, [x0, #OUT]
    add x22, x21, x9
    add x23, x22, x9
    add x24, x23, x9
    ldp x5, x4, [x0, #WEIGHTS]
    addvl x5, x5, #16
    mov x2, x4
    mov x3, xzr
    ldr x7, [x0, #BODY]
    mov w8, wzr
    cntw x9
    when_rows 4
    when_rows 3
    when_rows 2
    when_rows 1
90: ldp d10, d11, [sp, #16]
    ldp d12, d13, [sp, #32]
    ldp d14, d15, [sp, #48]
    ldp x19, x20, [sp, #64]
    ldp x21, x22, [sp, #80]
    ldp x23, x24, [sp, #96]
    ldp x25, x26, [sp, #112]
    ldp d8, d9, [sp], #128
    ret
function_end sl_depthwise_3x3s2_pairs_sme2_asm

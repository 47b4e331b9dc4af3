/* kernels/depthwise/depthwise_f32_3x3_sme2_asm.S: a strip of up to 8 (stride 1) or 4 (stride 2) output
 * rows of a 3x3 depthwise convolution, one vector of channels after the other.
 *
 * sl_depthwise_3x3s1_sme2_asm(const struct sl_depthwise_strip *), _3x3s2_ likewise, in streaming mode
 * with ZA on. What they compute is stated by sl_depthwise_strip_scalar() in
 * depthwise_strip_scalar.c. Of z8-z15 they keep what the ABI asks for.
 *
 * The input rows of one column sit in consecutive registers, so that one FMLA by a weight serves four
 * output rows; ZA holds the output columns that are not complete, four rows to a vector group. A step
 * to the next column is a step of w8, the index of the first group. Rows 4-7 have the groups 4 on. */
#include "kernels/cpu/asm.h"

// struct sl_depthwise_strip
#define IN 0
#define IN_ROW 8
#define OUT 16
#define OUT_ROW 24
#define WEIGHTS 32
#define CHANNELS 40
#define LEAD 48
#define BODY 56
#define TRAIL 64
#define ROWS 72
#define TOP 80
#define BOTTOM 84
#define CLAMP 88

// x1: element of the column and its channels, from each row's pointer. x2: elements of a column step.
// x3: first channel. x4: channels. x5: weights. z0-z8: weights, row by row. z9, z10: clamp.
// z12-z15: bias, four times. p1, p2, p3: channels of the first row, of the rows between, of the last.

.macro load_row i, last, z, x
    .if \i == 0
    ld1w {z\z\().s}, p1/z, [x\x, x1, lsl #2]
    .elseif \i < \last
    ld1w {z\z\().s}, p2/z, [x\x, x1, lsl #2]
    .elseif \i == \last
    ld1w {z\z\().s}, p3/z, [x\x, x1, lsl #2]
    .endif
.endm

.macro load_column_s1 rows
    load_row 0, (\rows + 1), 16, 10
    load_row 1, (\rows + 1), 17, 11
    load_row 2, (\rows + 1), 18, 12
    load_row 3, (\rows + 1), 19, 13
    load_row 4, (\rows + 1), 20, 14
    load_row 5, (\rows + 1), 21, 15
    load_row 6, (\rows + 1), 22, 16
    load_row 7, (\rows + 1), 23, 17
    load_row 8, (\rows + 1), 24, 19
    load_row 9, (\rows + 1), 25, 20
.endm

// Even rows to z16-z20, odd ones to z21-z24.
.macro load_column_s2 rows
    load_row 0, (2 * \rows), 16, 10
    load_row 2, (2 * \rows), 17, 12
    load_row 1, (2 * \rows), 21, 11
    load_row 4, (2 * \rows), 18, 14
    load_row 3, (2 * \rows), 22, 13
    load_row 6, (2 * \rows), 19, 16
    load_row 5, (2 * \rows), 23, 15
    load_row 8, (2 * \rows), 20, 19
    load_row 7, (2 * \rows), 24, 17
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

.macro store_row i, rows, z, x, column
    .if \i < \rows
    st1w {z\z\().s}, p2, [x\x, \column, lsl #2]
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

.macro columns_s1 rows
10: channel_start
    bias_to \rows, 1
    bias_to \rows, 2
    ldr x6, [x0, #LEAD]
20: // columns that complete nothing yet
    load_column_s1 \rows
    taps_s1 \rows, 0, z2.s, z5.s, z8.s
    taps_s1 \rows, 1, z1.s, z4.s, z7.s
    taps_s1 \rows, 2, z0.s, z3.s, z6.s
    bias_to \rows, 3
    add w8, w8, #1
    add x1, x1, x2
    subs x6, x6, #1
    b.ne 20b
    cbz x7, 40f
    add w9, w8, w7
30: load_column_s1 \rows
    taps_s1 \rows, 0, z2.s, z5.s, z8.s
    taps_s1 \rows, 1, z1.s, z4.s, z7.s
    taps_s1 \rows, 2, z0.s, z3.s, z6.s
    emit \rows, x1
    bias_to \rows, 3
    add w8, w8, #1
    add x1, x1, x2
    cmp w8, w9
    b.ne 30b
40: ldr x6, [x0, #TRAIL]
    cbz x6, 50f
    emit \rows, x1 // its last column is padding
50: incw x3
    cmp x3, x4
    b.lo 10b
    b 90f
.endm

.macro columns_s2 rows
10: channel_start
    mov x25, x3
    bias_to \rows, 0
    bias_to \rows, 1
    ldr x6, [x0, #LEAD]
    cbz x6, 20f
    load_column_s2 \rows // the first window starts inside
    taps_s2 0, z0.s, z3.s, z6.s
    add x1, x1, x2
20: cbz x7, 40f
    add w9, w8, w7
30: load_column_s2 \rows // the middle column of group 0
    taps_s2 0, z1.s, z4.s, z7.s
    add x1, x1, x2
    load_column_s2 \rows // the last of group 0, the first of group 1
    taps_s2 0, z2.s, z5.s, z8.s
    taps_s2 1, z0.s, z3.s, z6.s
    emit \rows, x25
    bias_to \rows, 2
    add w8, w8, #1
    add x1, x1, x2
    add x25, x25, x2
    cmp w8, w9
    b.ne 30b
40: ldr x6, [x0, #TRAIL]
    cbz x6, 50f
    load_column_s2 \rows // the last column of the last window is padding
    taps_s2 0, z1.s, z4.s, z7.s
    emit \rows, x25
50: incw x3
    cmp x3, x4
    b.lo 10b
    b 90f
.endm

.macro strip_begin
    stp d8, d9, [sp, #-144]!
    stp d10, d11, [sp, #16]
    stp d12, d13, [sp, #32]
    stp d14, d15, [sp, #48]
    stp x19, x20, [sp, #64]
    stp x21, x22, [sp, #80]
    stp x23, x24, [sp, #96]
    stp x25, x26, [sp, #112]
    stp x27, x28, [sp, #128]
    ptrue p0.s
    ptrue pn8.s
    ldp w1, w2, [x0, #TOP] // is the first row padding, is the last?
    whilelt p5.s, xzr, xzr
    mov p6.b, p5.b
    cbnz w1, 1f
    mov p5.b, p0.b
1:  cbnz w2, 2f
    mov p6.b, p0.b
2:  ldp s9, s10, [x0, #CLAMP]
    mov z9.s, s9
    mov z10.s, s10
    ldp x10, x9, [x0, #IN]
    add x11, x10, x9
    add x12, x11, x9
    add x13, x12, x9
    add x14, x13, x9
    add x15, x14, x9
    add x16, x15, x9
    add x17, x16, x9
    add x19, x17, x9
    add x20, x19, x9
    ldp x21, x9, [x0, #OUT]
    add x22, x21, x9
    add x23, x22, x9
    add x24, x23, x9
    add x25, x24, x9
    add x26, x25, x9
    add x27, x26, x9
    add x28, x27, x9
    ldp x5, x4, [x0, #WEIGHTS]
    addvl x5, x5, #8
    mov x2, x4
    mov x3, xzr
    ldr x7, [x0, #BODY]
    mov w8, wzr
    ldr x9, [x0, #ROWS]
.endm

.macro strip_end
90: ldp d10, d11, [sp, #16]
    ldp d12, d13, [sp, #32]
    ldp d14, d15, [sp, #48]
    ldp x19, x20, [sp, #64]
    ldp x21, x22, [sp, #80]
    ldp x23, x24, [sp, #96]
    ldp x25, x26, [sp, #112]
    ldp x27, x28, [sp, #128]
    ldp d8, d9, [sp], #144
    ret
.endm

.macro when_rows stride, rows
    cmp x9, #\rows
    b.ne 60f
    columns_\stride \rows
60:
.endm

function_begin sl_depthwise_3x3s1_sme2_asm
    strip_begin
    when_rows s1, 8
    when_rows s1, 7
    when_rows s1, 6
    when_rows s1, 5
    when_rows s1, 4
    when_rows s1, 3
    when_rows s1, 2
    when_rows s1, 1
    strip_end
function_end sl_depthwise_3x3s1_sme2_asm

function_begin sl_depthwise_3x3s2_sme2_asm
    strip_begin
    when_rows s2, 4
    when_rows s2, 3
    when_rows s2, 2
    when_rows s2, 1
    strip_end
function_end sl_depthwise_3x3s2_sme2_asm

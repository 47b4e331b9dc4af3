/* kernels/depthwise/depthwise_f32_5x5_sme2_asm.S: a strip of up to 4 output rows of a 5x5 depthwise
 * convolution, one vector of channels after the other.
 *
 * sl_depthwise_5x5s1_sme2_asm(const struct sl_depthwise_window *), _5x5s2_ likewise, in streaming mode
 * with ZA on; VL is at least 8. What they compute is stated by sl_depthwise_window_scalar() in
 * depthwise_window_scalar.c. Of z8-z15 they keep what the ABI asks for.
 *
 * As in the 3x3 kernels the input rows of one column sit in consecutive registers, so that one FMLA by a
 * weight serves four output rows; ZA holds the output columns that are not complete, w8 the group of
 * the eldest. Columns of padding add nothing and are only counted. 24 of the 25 weights are read again
 * for each column, in the order of their use. */
#include "kernels/cpu/asm.h"

// struct sl_depthwise_window
#define IN 0
#define OUT 16
#define WEIGHTS 32
#define PAD_LEFT 48
#define OUT_W 64
#define ROWS 72
#define TOP 80
#define CLAMP 88

// x1: element of the column and its channels, from each row's pointer. x2: channels. x3: first channel.
// x5: weights. x6: columns or pairs of them begun. x7: the column in the image. x9: element of the
// output. x26: columns of the image. x27: turns. z0-z11: weights; z12: the last one; z13, z14: clamp.
// p2: channels; p1 p3: of the first two rows; p4 p5: of the last two.

.macro row i, rows, z, x
    .if \i == 0
    ld1w {z\z\().s}, p1/z, [x\x, x1, lsl #2]
    .elseif \i == 1
    ld1w {z\z\().s}, p3/z, [x\x, x1, lsl #2]
    .elseif \i < \rows - 2
    ld1w {z\z\().s}, p2/z, [x\x, x1, lsl #2]
    .elseif \i == \rows - 2
    ld1w {z\z\().s}, p4/z, [x\x, x1, lsl #2]
    .elseif \i == \rows - 1
    ld1w {z\z\().s}, p5/z, [x\x, x1, lsl #2]
    .endif
.endm

.macro load_column_s1 rows
    row 0, \rows, 16, 10
    row 1, \rows, 17, 11
    row 2, \rows, 18, 12
    row 3, \rows, 19, 13
    row 4, \rows, 20, 14
    row 5, \rows, 21, 15
    row 6, \rows, 22, 16
    row 7, \rows, 23, 17
.endm

// Even rows to z16-z21, odd ones to z22-z26.
.macro load_column_s2 rows
    row 0, \rows, 16, 10
    row 1, \rows, 22, 11
    row 2, \rows, 17, 12
    row 3, \rows, 23, 13
    row 4, \rows, 18, 14
    row 5, \rows, 24, 15
    row 6, \rows, 19, 16
    row 7, \rows, 25, 17
    row 8, \rows, 20, 19
    row 9, \rows, 26, 20
    row 10, \rows, 21, 21
.endm

.macro weights_12 first, second, third
    ld1w {z0.s-z3.s}, pn8/z, [x5, #\first, mul vl]
    ld1w {z4.s-z7.s}, pn8/z, [x5, #\second, mul vl]
    ld1w {z8.s-z11.s}, pn8/z, [x5, #\third, mul vl]
.endm

// A kernel column, its weights from top to bottom, into the group `at`.
.macro taps_s1 at, a, b, c, d, e
    fmla za.s[w8, \at, vgx4], {z16.s-z19.s}, z\a\().s
    fmla za.s[w8, \at, vgx4], {z17.s-z20.s}, z\b\().s
    fmla za.s[w8, \at, vgx4], {z18.s-z21.s}, z\c\().s
    fmla za.s[w8, \at, vgx4], {z19.s-z22.s}, z\d\().s
    fmla za.s[w8, \at, vgx4], {z20.s-z23.s}, z\e\().s
.endm

.macro taps_s2 at, a, b, c, d, e
    fmla za.s[w8, \at, vgx4], {z16.s-z19.s}, z\a\().s
    fmla za.s[w8, \at, vgx4], {z22.s-z25.s}, z\b\().s
    fmla za.s[w8, \at, vgx4], {z17.s-z20.s}, z\c\().s
    fmla za.s[w8, \at, vgx4], {z23.s-z26.s}, z\d\().s
    fmla za.s[w8, \at, vgx4], {z18.s-z21.s}, z\e\().s
.endm

.macro bias_to at
    mova za.d[w8, \at, vgx4], {z28.d-z31.d}
.endm

.macro store_row i, rows, z, x
    .if \i < \rows
    st1w {z\z\().s}, p2, [x\x, x9, lsl #2]
    .endif
.endm

// Clamps and stores the complete column in group 0.
.macro emit rows
    mova {z28.d-z31.d}, za.d[w8, 0, vgx4]
    fmax {z28.s-z31.s}, {z28.s-z31.s}, z13.s
    fmin {z28.s-z31.s}, {z28.s-z31.s}, z14.s
    store_row 0, \rows, 28, 22
    store_row 1, \rows, 29, 23
    store_row 2, \rows, 30, 24
    store_row 3, \rows, 31, 25
    add x9, x9, x2
.endm

// Bias, the last weight, clamp and predicates of the channels from x3 on; before the first column.
.macro channel_start
    whilelt p2.s, x3, x2
    ld1w {z12.s-z15.s}, pn8/z, [x5, #28, mul vl]
    ld1rw {z13.s}, p0/z, [x0, #CLAMP]
    ld1rw {z14.s}, p0/z, [x0, #CLAMP + 4]
    cmp w28, #1
    mov p1.b, p2.b
    mov p3.b, p2.b
    b.lo 2f
    pfalse p1.b
    b.ls 2f
    pfalse p3.b
2:  cmp w4, #1
    mov p4.b, p2.b
    mov p5.b, p2.b
    b.lo 3f
    pfalse p5.b
    b.ls 3f
    pfalse p4.b
3:  ldp x7, x26, [x0, #PAD_LEFT]
    neg x7, x7
    madd x1, x7, x2, x3
    mov x9, x3
    mov x6, xzr
    ld1w {z28.s-z31.s}, pn8/z, [x5]
    bias_to 0
    bias_to 1
    bias_to 2
    bias_to 3
.endm

.macro columns_s1 rows
10: channel_start
20: bias_to 4
    cmp x7, x26
    b.hs 30f
    load_column_s1 (\rows + 4)
    weights_12 4, 8, 12
    taps_s1 0, 0, 1, 2, 3, 4
    taps_s1 1, 5, 6, 7, 8, 9
    fmla za.s[w8, 2, vgx4], {z16.s-z19.s}, z10.s
    fmla za.s[w8, 2, vgx4], {z17.s-z20.s}, z11.s
    weights_12 16, 20, 24
    fmla za.s[w8, 2, vgx4], {z18.s-z21.s}, z0.s
    fmla za.s[w8, 2, vgx4], {z19.s-z22.s}, z1.s
    fmla za.s[w8, 2, vgx4], {z20.s-z23.s}, z2.s
    taps_s1 3, 3, 4, 5, 6, 7
    taps_s1 4, 8, 9, 10, 11, 12
30: cmp x6, #4
    b.lo 40f
    emit \rows
    ld1w {z28.s-z31.s}, pn8/z, [x5]
40: add x1, x1, x2
    add w8, w8, #1
    add x7, x7, #1
    add x6, x6, #1
    cmp x6, x27
    b.ne 20b
    channels_next
.endm

// A pair of columns a turn: the last of group 0, the middle of 1, the first of 2; then the second of 2
// and the fourth of 1.
.macro columns_s2 rows
10: channel_start
20: cmp x7, x26
    b.hs 30f
    load_column_s2 (2 * \rows + 3)
    weights_12 4, 8, 12
    taps_s2 0, 0, 1, 2, 3, 4
    taps_s2 1, 5, 6, 7, 8, 9
    fmla za.s[w8, 2, vgx4], {z16.s-z19.s}, z10.s
    fmla za.s[w8, 2, vgx4], {z22.s-z25.s}, z11.s
    ld1w {z0.s-z3.s}, pn8/z, [x5, #16, mul vl]
    fmla za.s[w8, 2, vgx4], {z17.s-z20.s}, z0.s
    fmla za.s[w8, 2, vgx4], {z23.s-z26.s}, z1.s
    fmla za.s[w8, 2, vgx4], {z18.s-z21.s}, z2.s
30: cmp x6, #2
    b.lo 40f
    emit \rows
    ld1w {z28.s-z31.s}, pn8/z, [x5]
40: bias_to 3
    add x1, x1, x2
    add x7, x7, #1
    cmp x7, x26
    b.hs 50f
    load_column_s2 (2 * \rows + 3)
    weights_12 16, 20, 24
    taps_s2 2, 3, 4, 5, 6, 7
    taps_s2 1, 8, 9, 10, 11, 12
50: add x1, x1, x2
    add w8, w8, #1
    add x7, x7, #1
    add x6, x6, #1
    cmp x6, x27
    b.ne 20b
    channels_next
.endm

.macro channels_next
    rdvl x6, #16
    add x5, x5, x6, lsl #1      // 32 vectors of weights
    incw x3
    cmp x3, x2
    b.lo 10b
    b 90f
.endm

.macro window_begin ahead
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
    add x21, x20, x9
    ldp x22, x9, [x0, #OUT]
    add x23, x22, x9
    add x24, x23, x9
    add x25, x24, x9
    ldp x5, x2, [x0, #WEIGHTS]
    ldp w28, w4, [x0, #TOP]
    ldr x27, [x0, #OUT_W]
    add x27, x27, #\ahead
    mov x3, xzr
    mov w8, wzr
    ldr x9, [x0, #ROWS]
.endm

.macro window_end
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

function_begin sl_depthwise_5x5s1_sme2_asm
    window_begin 4
    when_rows s1, 4
    when_rows s1, 3
    when_rows s1, 2
    when_rows s1, 1
    window_end
function_end sl_depthwise_5x5s1_sme2_asm

function_begin sl_depthwise_5x5s2_sme2_asm
    window_begin 2
    when_rows s2, 4
    when_rows s2, 3
    when_rows s2, 2
    when_rows s2, 1
    window_end
function_end sl_depthwise_5x5s2_sme2_asm

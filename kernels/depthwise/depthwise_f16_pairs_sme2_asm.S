/* kernels/depthwise/depthwise_f16_pairs_sme2_asm.S: a strip of up to 4 output rows of a depthwise
 * convolution of halves with sums in f32: 5x5 at stride 1 and 2, 7x7 at stride 1. Two
 * output columns of two vectors of channels a turn.
 *
 * sl_depthwise_f16_5x5s1_pairs_sme2_asm(const struct sl_depthwise_f16_window *), _5x5s2_ and
 * _7x7s1_ likewise, in streaming mode with ZA on; VL is at least 8. The readable form is depthwise_scalar.inc. Of z8-z15
 * they keep what the ABI asks for.
 *
 * One load of two strided vectors brings both vectors of channels of a pixel, so that the rows of a column
 * are consecutive registers for each: FMLAL by a weight, one of z0-z15, serves four output rows. Of
 * the four sums of an output pixel (even and odd channels of the first vector, then of the second) four
 * rows of ZA that are neighbours become four registers; the second column has the four rows after
 * them. An input column outside the image adds nothing: blocks that have one look at each of theirs.
 *
 * sl_depthwise_f16_5x5s2_lone_sme2_asm() is for a last vector of channels alone. Where two blocks side by side lie
 * inside it takes them as one: the second vector is the first one's channels of the other block. */
#include "kernels/cpu/asm.h"

// struct sl_depthwise_f16_window
#define IN 0
#define OUT 16
#define WEIGHTS 32
#define PAD_LEFT 48
#define OUT_W 64
#define ROWS 72
#define TOP 80
#define CLAMP 88
#define INSIDE 96
#define FIRST 104
#define END 112

// x1: element of the column and its channels, from each row's pointer; x9: of the block's first. x2:
// channels. x3: first channel. x4: element of the output. x5: weights. x6: output columns to come.
// x7: input column. x29: columns of the image. Rows: x10 x11 x16 x17 x19-x25, of output x26-x28 x30.
// pn9: channels; pn10 pn11 pn14: of the first three rows; pn15 pn12 pn13: of the last three, of the last but
// one p1 and p2 as well, of the last p3 and p4. w12-w15: output rows.

// w_at: where the next weights are, in vectors from x5. An immediate reaches -32 to 28 for four vectors,
// -16 to 14 for two: x5 is moved where `count` vectors go past `most`, and back after the block.
.macro weights_from first
    .set w_at, \first
    .set w_moved, 0
.endm

.macro weights_reach count, least, most
    .if w_at < \least || w_at + \count > \most
    .set w_step, w_at - (\least)
    addvl x5, x5, #(w_step / 2)
    addvl x5, x5, #(w_step - w_step / 2)
    .set w_moved, w_moved + w_step
    .set w_at, \least
    .endif
.endm

.macro weights_back
    .set w_step, w_moved / 6
    .set w_rest, w_moved - 5 * w_step
    .if w_moved > 93
    addvl x5, x5, #-w_step
    addvl x5, x5, #-w_step
    addvl x5, x5, #-w_step
    .elseif w_moved > 0
    .set w_step, w_moved / 3
    .set w_rest, w_moved - 2 * w_step
    .endif
    .if w_moved > 0
    addvl x5, x5, #-w_step
    addvl x5, x5, #-w_step
    addvl x5, x5, #-w_rest
    .endif
.endm

.macro weights_4 registers
    ld1h {\registers}, pn8/z, [x5, #w_at, mul vl]
    .set w_at, w_at + 4
.endm

// 1 if the code that is assembled takes two blocks of one vector. Then x3 is the element in the second one, and
// p5 p6 p7 are pn9 pn10 pn11 of single vectors.
.set wide, 0

.macro wide_row some, first, second, x
    ld1h {z\first\().h}, \some/z, [\x, x1, lsl #1]
    ld1h {z\second\().h}, \some/z, [\x, x3, lsl #1]
.endm

.macro row i, rows, pads, first, second, x
    .if \i >= \rows
    .elseif wide && \i == 0
    wide_row p6, \first, \second, \x
    .elseif wide && \i == 1
    wide_row p7, \first, \second, \x
    .elseif wide && \i < \rows - 2
    wide_row p5, \first, \second, \x
    .elseif wide && \i == \rows - 2
    wide_row p1, \first, \second, \x
    .elseif wide
    wide_row p3, \first, \second, \x
    .elseif \i == 0
    ld1h {z\first\().h, z\second\().h}, pn10/z, [\x, x1, lsl #1]
    .elseif \i == 1 && \pads > 1
    ld1h {z\first\().h, z\second\().h}, pn11/z, [\x, x1, lsl #1]
    .elseif \i == 2 && \pads > 2
    ld1h {z\first\().h, z\second\().h}, pn14/z, [\x, x1, lsl #1]
    .elseif \i < \rows - \pads
    ld1h {z\first\().h, z\second\().h}, pn9/z, [\x, x1, lsl #1]
    .elseif \i == \rows - 3
    ld1h {z\first\().h, z\second\().h}, pn15/z, [\x, x1, lsl #1]
    .elseif \i == \rows - 2
    ld1h {z\first\().h, z\second\().h}, pn12/z, [\x, x1, lsl #1]
    .elseif \i == \rows - 1
    ld1h {z\first\().h, z\second\().h}, pn13/z, [\x, x1, lsl #1]
    .endif
.endm

.macro load_column_s1 rows, pads
    row 0, \rows, \pads, 16, 24, x10
    row 1, \rows, \pads, 17, 25, x11
    row 2, \rows, \pads, 18, 26, x16
    row 3, \rows, \pads, 19, 27, x17
    row 4, \rows, \pads, 20, 28, x19
    row 5, \rows, \pads, 21, 29, x20
    row 6, \rows, \pads, 22, 30, x21
    row 7, \rows, \pads, 23, 31, x22
.endm

.macro load_column_s2 rows, pads
    row 0, \rows, \pads, 16, 24, x10
    row 1, \rows, \pads, 0, 8, x11
    row 2, \rows, \pads, 17, 25, x16
    row 3, \rows, \pads, 1, 9, x17
    row 4, \rows, \pads, 18, 26, x19
    row 5, \rows, \pads, 2, 10, x20
    row 6, \rows, \pads, 19, 27, x21
    row 7, \rows, \pads, 3, 11, x22
    row 8, \rows, \pads, 20, 28, x23
    row 9, \rows, \pads, 4, 12, x24
    row 10, \rows, \pads, 21, 29, x25
.endm

// A kernel column, five weights of the first vector and five of the second, into groups.
.macro taps_5x5s1 first, second, a, b, c, d, e, f, g, h, i, j
    fmlal za.s[w8, \first, vgx4], {z16.h-z19.h}, \a\().h
    fmlal za.s[w8, \first, vgx4], {z17.h-z20.h}, \b\().h
    fmlal za.s[w8, \first, vgx4], {z18.h-z21.h}, \c\().h
    fmlal za.s[w8, \first, vgx4], {z19.h-z22.h}, \d\().h
    fmlal za.s[w8, \first, vgx4], {z20.h-z23.h}, \e\().h
    fmlal za.s[w8, \second, vgx4], {z24.h-z27.h}, \f\().h
    fmlal za.s[w8, \second, vgx4], {z25.h-z28.h}, \g\().h
    fmlal za.s[w8, \second, vgx4], {z26.h-z29.h}, \h\().h
    fmlal za.s[w8, \second, vgx4], {z27.h-z30.h}, \i\().h
    fmlal za.s[w8, \second, vgx4], {z28.h-z31.h}, \j\().h
.endm

// The weights of both vectors are neighbours here.
.macro tap_pair first, second, rows, others, w, v
    ld1h {\w\().h, \v\().h}, pn8/z, [x5, #w_at, mul vl]
    .set w_at, w_at + 2
    fmlal za.s[w8, \first, vgx4], {\rows}, \w\().h
    fmlal za.s[w8, \second, vgx4], {\others}, \v\().h
.endm

.macro taps_5x5s2 first, second
    tap_pair \first, \second, z16.h-z19.h, z24.h-z27.h, z5, z13
    tap_pair \first, \second, z0.h-z3.h, z8.h-z11.h, z6, z14
    tap_pair \first, \second, z17.h-z20.h, z25.h-z28.h, z7, z15
    tap_pair \first, \second, z1.h-z4.h, z9.h-z12.h, z5, z13
    tap_pair \first, \second, z18.h-z21.h, z26.h-z29.h, z6, z14
.endm

// A tap of one vector; the second one is the other block's, if there is one.
.macro lone_tap first, second, rows, others, w
    fmlal za.s[w8, \first, vgx4], {\rows}, \w\().h
    .if wide
    fmlal za.s[w8, \second, vgx4], {\others}, \w\().h
    .endif
.endm

.macro taps_5x5s2_lone first, second
    ld1h {z6.h-z7.h}, pn8/z, [x5, #w_at, mul vl]
    ld1h {z14.h-z15.h}, pn8/z, [x5, #w_at + 2, mul vl]
    ldr z5, [x5, #w_at + 4, mul vl]
    .set w_at, w_at + 6
    lone_tap \first, \second, z16.h-z19.h, z24.h-z27.h, z6
    lone_tap \first, \second, z0.h-z3.h, z8.h-z11.h, z7
    lone_tap \first, \second, z17.h-z20.h, z25.h-z28.h, z14
    lone_tap \first, \second, z1.h-z4.h, z9.h-z12.h, z15
    lone_tap \first, \second, z18.h-z21.h, z26.h-z29.h, z5
.endm

// Input column j of a block: what it adds to the first output column, and to the second.
.macro column_5x5s1 j, rows
    load_column_s1 (\rows + 4), 2
    weights_4 z0.h-z3.h
    weights_4 z4.h-z7.h
    weights_4 z8.h-z11.h
    .if \j == 5
    taps_5x5s1 4:5, 6:7, z0, z1, z2, z3, z4, z5, z6, z7, z8, z9
    .else
    taps_5x5s1 0:1, 2:3, z0, z1, z2, z3, z4, z5, z6, z7, z8, z9
    .endif
    .if \j > 0 && \j < 5
    weights_4 z12.h-z15.h
    weights_4 z0.h-z3.h
    taps_5x5s1 4:5, 6:7, z10, z11, z12, z13, z14, z15, z0, z1, z2, z3
    .endif
.endm

.macro column_5x5s2 j, rows
    load_column_s2 (2 * \rows + 3), 2
    .if \j < 5
    taps_5x5s2 0:1, 2:3
    .endif
    .if \j > 1
    taps_5x5s2 4:5, 6:7
    .endif
.endm

.macro column_5x5s2_lone j, rows
    load_column_s2 (2 * \rows + 3), 2
    .if \j < 5
    taps_5x5s2_lone 0:1, 2:3
    .endif
    .if \j > 1
    taps_5x5s2_lone 4:5, 6:7
    .endif
.endm

// Rows 8 and 9, where the first vector's come after its row 7, the second vector's after its own.
.macro load_rows_8_9 rows
    .if \rows > 2
    mov x25, x1
    inch x25
    .endif
    .if \rows == 3
    ld1h {z24.h}, p3/z, [x23, x1, lsl #1]
    ld1h {z0.h}, p4/z, [x23, x25, lsl #1]
    .elseif \rows == 4
    ld1h {z24.h}, p1/z, [x23, x1, lsl #1]
    ld1h {z0.h}, p2/z, [x23, x25, lsl #1]
    ld1h {z25.h}, p3/z, [x24, x1, lsl #1]
    ld1h {z1.h}, p4/z, [x24, x25, lsl #1]
    .endif
.endm

.macro taps_of_rows_5_6 first, second, a, b, c, d
    fmlal za.s[w8, \first, vgx4], {z21.h-z24.h}, \a\().h
    fmlal za.s[w8, \first, vgx4], {z22.h-z25.h}, \b\().h
    fmlal za.s[w8, \second, vgx4], {z29.h-z0.h}, \c\().h
    fmlal za.s[w8, \second, vgx4], {z30.h-z1.h}, \d\().h
.endm

// Five rows of the window, then the other two.
.macro column_7x7s1 j, rows
    load_column_s1 (\rows + 6), 3
    weights_4 z0.h-z3.h
    weights_4 z4.h-z7.h
    weights_4 z8.h-z11.h
    .if \j == 7
    taps_5x5s1 4:5, 6:7, z0, z1, z2, z3, z4, z5, z6, z7, z8, z9
    .else
    taps_5x5s1 0:1, 2:3, z0, z1, z2, z3, z4, z5, z6, z7, z8, z9
    .endif
    .if \j > 0 && \j < 7
    weights_4 z12.h-z15.h
    weights_4 z0.h-z3.h
    taps_5x5s1 4:5, 6:7, z10, z11, z12, z13, z14, z15, z0, z1, z2, z3
    .endif
    load_rows_8_9 \rows
    weights_4 z4.h-z7.h
    .if \j < 7
    taps_of_rows_5_6 0:1, 2:3, z4, z5, z6, z7
    .endif
    .if \j > 0 && \j < 7
    weights_4 z4.h-z7.h
    .endif
    .if \j > 0
    taps_of_rows_5_6 4:5, 6:7, z4, z5, z6, z7
    .endif
.endm

// Before a column, whether or not it is skipped.
.macro reach_5x5s1 j
    weights_reach 20, -32, 32
.endm

.macro reach_5x5s2 j
    weights_reach 20, -16, 16
.endm

.macro reach_5x5s2_lone j
    weights_reach 12, -16, 16
.endm

.macro reach_7x7s1 j
    weights_reach 28, -32, 32
.endm

.macro narrow_row i, rows, index, slices, first, second
    .if \i < \rows
    mova {z16.b-z19.b}, za0h.b[\index, \slices]
    fcvtn \first\().h, {z16.s-z17.s}
    fcvtn \second\().h, {z18.s-z19.s}
    .endif
.endm

.macro store_row i, rows, first, second, x
    .if \i >= \rows
    .elseif wide
    st1h {\first\().h}, p5, [\x, x4, lsl #1]
    st1h {\second\().h}, p5, [\x, x3, lsl #1]
    .else
    st1h {\first\().h-\second\().h}, pn9, [\x, x4, lsl #1]
    .endif
.endm

// Clamps and stores an output column.
.macro emit rows, slices
    narrow_row 0, \rows, w12, \slices, z0, z1
    narrow_row 1, \rows, w13, \slices, z2, z3
    narrow_row 2, \rows, w14, \slices, z4, z5
    narrow_row 3, \rows, w15, \slices, z6, z7
    fmax {z0.h-z3.h}, {z0.h-z3.h}, z14.h
    fmin {z0.h-z3.h}, {z0.h-z3.h}, z15.h
    .if \rows > 2
    fmax {z4.h-z7.h}, {z4.h-z7.h}, z14.h
    fmin {z4.h-z7.h}, {z4.h-z7.h}, z15.h
    .endif
    .if wide
    add x3, x4, x2, lsl #1
    .endif
    store_row 0, \rows, z0, z1, x26
    store_row 1, \rows, z2, z3, x27
    store_row 2, \rows, z4, z5, x28
    store_row 3, \rows, z6, z7, x30
    add x4, x4, x2
.endm

.macro column_if kind, j, rows, looks
    reach_\kind \j
    .if \looks
    cmp x7, x29
    b.hs 55f
    .endif
    column_\kind \j, \rows
    .if \looks
55: add x7, x7, #1
    .endif
    add x1, x1, x2
    .if wide
    add x3, x3, x2
    .endif
.endm

// All columns of a block.
.macro columns kind, across, rows, looks
    mov x1, x9
    .if wide
    add x3, x9, x2, lsl #2
    .endif
    weights_from -28
    column_if \kind, 0, \rows, \looks
    column_if \kind, 1, \rows, \looks
    column_if \kind, 2, \rows, \looks
    column_if \kind, 3, \rows, \looks
    column_if \kind, 4, \rows, \looks
    column_if \kind, 5, \rows, \looks
    .if \across > 6
    column_if \kind, 6, \rows, \looks
    .endif
    .if \across > 7
    column_if \kind, 7, \rows, \looks
    .endif
    weights_back
    .if \looks
    sub x7, x7, #\across
    .endif
    ld1rh {z14.h}, p0/z, [x0, #CLAMP]
    ld1rh {z15.h}, p0/z, [x0, #CLAMP + 2]
    emit \rows, 0:3
.endm

.macro bias_to index
    mova za0h.b[\index, 0:3], {z0.b-z3.b}
    mova za0h.b[\index, 4:7], {z0.b-z3.b}
.endm

.macro bias rows
    ld1w {z0.s-z3.s}, pn8/z, [x5, #-32, mul vl]
    bias_to w12
    .if \rows > 1
    bias_to w13
    .endif
    .if \rows > 2
    bias_to w14
    .endif
    .if \rows > 3
    bias_to w15
    .endif
.endm

// Predicates of the channels from x3 on, and where the first block begins.
.macro channel_start
    whilelt pn9.h, x3, x2, vlx2
    ldp w1, w6, [x0, #TOP]
    mov p10.b, p9.b
    mov p11.b, p9.b
    mov p14.b, p9.b
    cbz w1, 2f
    pfalse p10.b
    cmp w1, #2
    b.lo 2f
    pfalse p11.b
    b.ls 2f
    pfalse p14.b
2:  mov p12.b, p9.b
    mov p13.b, p9.b
    mov p15.b, p9.b
    cbz w6, 3f
    pfalse p13.b
    cmp w6, #2
    b.lo 3f
    pfalse p12.b
    b.ls 3f
    pfalse p15.b
3:  pext {p1.h, p2.h}, pn12[0]
    pext {p3.h, p4.h}, pn13[0]
    ldp x7, x29, [x0, #PAD_LEFT]
    neg x7, x7
    madd x9, x7, x2, x3
    mov x4, x3
    ldr x6, [x0, #OUT_W]
.endm

// Blocks of `across` input columns, `vectors` of weights, `shift`: log2 of twice the stride.
.macro strip kind, across, vectors, shift, rows
10: channel_start
20: bias \rows
    ldr x1, [x0, #INSIDE]
    cmp x7, x1
    b.hs 40f
    cmp x6, #2
    b.lo 40f
    columns \kind, \across, \rows, 0
    emit \rows, 4:7
30: add x9, x9, x2, lsl #\shift
    add x7, x7, #(1 << \shift)
    subs x6, x6, #2
    b.gt 20b
    rdvl x1, #1
    mov x6, #\vectors
    madd x5, x1, x6, x5
    inch x3, all, mul #2
    ldr x1, [x0, #END]
    cmp x3, x1
    b.lo 10b
    b 90f
40: columns \kind, \across, \rows, 1
    cmp x6, #2
    b.lo 30b
    emit \rows, 4:7
    b 30b
.endm

// The same of one vector. Its blocks of two output columns have four input columns from one to the next.
.macro lone_strip kind, across, vectors, shift, rows
    channel_start
    pext {p5.h, p6.h}, pn11[0]
    mov p7.b, p5.b
    pext {p5.h, p6.h}, pn10[0]
    mov p6.b, p5.b
    whilelt p5.h, x3, x2
20: bias \rows
    ldr x1, [x0, #INSIDE]
    cmp x7, x1
    b.hs 40f
    cmp x6, #2
    b.lo 40f
    cmp x6, #4
    b.lo 25f
    add x3, x7, #4
    cmp x3, x1
    b.hs 25f
    .set wide, 1
    columns \kind, \across, \rows, 0
    emit \rows, 4:7
    .set wide, 0
    add x4, x4, x2, lsl #1
    add x9, x9, x2, lsl #(\shift + 1)
    add x7, x7, #(2 << \shift)
    subs x6, x6, #4
    b.gt 20b
    b 90f
25: columns \kind, \across, \rows, 0
    emit \rows, 4:7
30: add x9, x9, x2, lsl #\shift
    add x7, x7, #(1 << \shift)
    subs x6, x6, #2
    b.gt 20b
    b 90f
40: columns \kind, \across, \rows, 1
    cmp x6, #2
    b.lo 90f
    emit \rows, 4:7
    b 30b
.endm

.macro when_rows strip, kind, across, vectors, shift, rows
    cmp x9, #\rows
    b.ne 60f
    \strip \kind, \across, \vectors, \shift, \rows
60:
.endm

.macro strips strip, name, kind, across, vectors, shift
function_begin \name
    stp x29, x30, [sp, #-160]!
    stp d8, d9, [sp, #16]
    stp d10, d11, [sp, #32]
    stp d12, d13, [sp, #48]
    stp d14, d15, [sp, #64]
    stp x19, x20, [sp, #80]
    stp x21, x22, [sp, #96]
    stp x23, x24, [sp, #112]
    stp x25, x26, [sp, #128]
    stp x27, x28, [sp, #144]
    ptrue p0.h
    ptrue pn8.h
    mov w8, wzr
    mov w12, wzr
    cntw x13
    add w14, w13, w13
    add w15, w14, w13
    ldp x10, x9, [x0, #IN]
    add x11, x10, x9
    add x16, x11, x9
    add x17, x16, x9
    add x19, x17, x9
    add x20, x19, x9
    add x21, x20, x9
    add x22, x21, x9
    add x23, x22, x9
    add x24, x23, x9
    add x25, x24, x9
    ldp x26, x9, [x0, #OUT]
    add x27, x26, x9
    add x28, x27, x9
    add x30, x28, x9
    ldp x5, x2, [x0, #WEIGHTS]
    addvl x5, x5, #31
    addvl x5, x5, #1
    ldr x3, [x0, #FIRST]
    ldr x9, [x0, #ROWS]
    when_rows \strip, \kind, \across, \vectors, \shift, 4
    when_rows \strip, \kind, \across, \vectors, \shift, 3
    when_rows \strip, \kind, \across, \vectors, \shift, 2
    when_rows \strip, \kind, \across, \vectors, \shift, 1
90: ldp d8, d9, [sp, #16]
    ldp d10, d11, [sp, #32]
    ldp d12, d13, [sp, #48]
    ldp d14, d15, [sp, #64]
    ldp x19, x20, [sp, #80]
    ldp x21, x22, [sp, #96]
    ldp x23, x24, [sp, #112]
    ldp x25, x26, [sp, #128]
    ldp x27, x28, [sp, #144]
    ldp x29, x30, [sp], #160
    ret
function_end \name
.endm

// Weights: 4 vectors of biases; of each input column so many that quads serve one column alone. Of one vector: of each
// kernel column that an input column meets five and one unused.
strips strip, sl_depthwise_f16_5x5s1_pairs_sme2_asm, 5x5s1, 6, 108, 1
strips strip, sl_depthwise_f16_5x5s2_pairs_sme2_asm, 5x5s2, 7, 104, 2
strips strip, sl_depthwise_f16_7x7s1_pairs_sme2_asm, 7x7s1, 8, 204, 1
strips lone_strip, sl_depthwise_f16_5x5s2_lone_sme2_asm, 5x5s2_lone, 7, 64, 2

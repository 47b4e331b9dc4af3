/* kernels/depthwise/depthwise_qs8_sme2_asm.S: up to four rows of output columns of an int8 depthwise
 * convolution, one vector of channels.
 *
 * sl_depthwise_qs8_3x3_sme2_asm(const struct sl_depthwise_columns *), _9_ (3x3 windows whose rows are no
 * neighbours) and _any_ likewise, in streaming mode with ZA on. What they compute is stated by sl_depthwise_columns_scalar() in
 * depthwise_columns_scalar.c. Of z8-z15 they keep what the ABI asks for.
 *
 * One SMLALL multiplies the bytes of four rows by a tap. The sums of row r are the array vectors r VL ..
 * r VL + 3; word i of vector j is channel 4 i + j, so that SQCVTN puts the bytes back in their order. Rows that
 * are not stored are computed too. */
#include "kernels/cpu/asm.h"
#include "kernels/depthwise/depthwise_bytes_sme2_asm.inc"

// struct sl_depthwise_columns
#define ROWS 0
#define DOWN 48
#define ACROSS 56
#define COLUMN 64
#define WEIGHTS 72
#define OUTPUTS 80
#define OUT_COLUMN 88
#define OUT 96
#define STORED 128
#define KERNEL_H 136
#define KERNEL_W 144
#define CHANNELS 152
#define MIN 160

// Four times the word that `begin` left \at bytes above the stack pointer.
.macro word_at at
    ld1rw {z16.s}, p0/z, [sp, #\at]
    ld1rw {z17.s}, p0/z, [sp, #\at]
    ld1rw {z18.s}, p0/z, [sp, #\at]
    ld1rw {z19.s}, p0/z, [sp, #\at]
.endm

// All four rows to bytes; stores those there are. \pushed: bytes, after `begin`.
.macro finish_rows pushed=0
    sums_to_floats
    fmla za.s[w8, 0, vgx4], {z16.s-z19.s}, {z12.s-z15.s}
    fmla za.s[w8, 1, vgx4], {z20.s-z23.s}, {z12.s-z15.s}
    fmla za.s[w8, 2, vgx4], {z24.s-z27.s}, {z12.s-z15.s}
    fmla za.s[w8, 3, vgx4], {z28.s-z31.s}, {z12.s-z15.s}
    floats_to_bytes z9.s, z10.s, "word_at (\pushed + 120)", 16, 19, "word_at (\pushed + 124)", 16, 19
    st1b {z16.b}, p1, [x21, x5]
    cmp x7, #2
    b.lo 7f
    st1b {z20.b}, p1, [x22, x5]
    b.eq 7f
    cmp x7, #4
    st1b {z24.b}, p1, [x23, x5]
    b.ne 7f
    st1b {z28.b}, p1, [x24, x5]
7:
.endm

// From the starts, which are \back vectors before x1.
.macro start_rows back
    ld1b {z24.b-z27.b}, pn8/z, [x1, #-\back, mul vl]
    mova za0h.b[w12, 0:3], {z24.b-z27.b}
    mova za0h.b[w13, 0:3], {z24.b-z27.b}
    mova za0h.b[w14, 0:3], {z24.b-z27.b}
    mova za0h.b[w15, 0:3], {z24.b-z27.b}
.endm

// One kernel column of a 3x3 window from \at on.
.macro kernel_column at, wa, wb, wc
    ld1b {z16.b}, p1/z, [x10, \at]
    ld1b {z17.b}, p1/z, [x11, \at]
    ld1b {z18.b}, p1/z, [x16, \at]
    ld1b {z19.b}, p1/z, [x17, \at]
    ld1b {z20.b}, p1/z, [x19, \at]
    ld1b {z21.b}, p1/z, [x20, \at]
    smlall za.s[w8, 0:3, vgx4], {z16.b-z19.b}, \wa
    smlall za.s[w8, 0:3, vgx4], {z17.b-z20.b}, \wb
    smlall za.s[w8, 0:3, vgx4], {z18.b-z21.b}, \wc
.endm

.macro begin
    ptrue p0.b
    stp d8, d9, [sp, #-144]!
    stp d10, d11, [sp, #16]
    stp d12, d13, [sp, #32]
    stp d14, d15, [sp, #48]
    stp x19, x20, [sp, #64]
    stp x21, x22, [sp, #80]
    stp x23, x24, [sp, #96]
    str x25, [sp, #112]
    ldp w1, w2, [x0, #MIN]
    ldr w3, [x0, #(MIN + 8)]
    mov w4, #WHOLE
    add w1, w1, w4
    add w2, w2, w4
    sub w3, w3, w4
    stp w4, w3, [sp, #120]
    stp w1, w2, [sp, #128]
    ld1rw {z9.s}, p0/z, [sp, #128]
    ld1rw {z10.s}, p0/z, [sp, #132]
    ldp x10, x11, [x0, #ROWS]
    ldp x16, x17, [x0, #(ROWS + 16)]
    ldp x19, x20, [x0, #(ROWS + 32)]
    ldp x3, x1, [x0, #COLUMN]
    ldp x2, x6, [x0, #OUTPUTS]
    ldp x21, x22, [x0, #OUT]
    ldp x23, x24, [x0, #(OUT + 16)]
    ldr x7, [x0, #STORED]
    ldr x9, [x0, #CHANNELS]
    ptrue pn8.b
    whilelt p1.b, xzr, x9
    ld1w {z12.s-z15.s}, pn8/z, [x1, #4, mul vl]
    addvl x1, x1, #8
    cntw x9
    mov w8, wzr
    mov w12, wzr
    mov w13, w9
    add w14, w9, w9
    add w15, w14, w9
    mov x4, xzr                 // of the column in the input
    mov x5, xzr                 // and in the output
.endm

// Stores the rows there are; x2 columns are left. Goes back to \back or ends.
.macro finish_column back
    finish_rows
    add x4, x4, x3
    add x5, x5, x6
    subs x2, x2, #1
    b.ne \back
    ldp d10, d11, [sp, #16]
    ldp d12, d13, [sp, #32]
    ldp d14, d15, [sp, #48]
    ldp x19, x20, [sp, #64]
    ldp x21, x22, [sp, #80]
    ldp x23, x24, [sp, #96]
    ldr x25, [sp, #112]
    ldp d8, d9, [sp], #144
    ret
.endm

function_begin sl_depthwise_qs8_3x3_sme2_asm
    begin
    ldr x9, [x0, #ACROSS]
    ld1b {z0.b-z3.b}, pn8/z, [x1]
    ld1b {z4.b-z7.b}, pn8/z, [x1, #4, mul vl]
    addvl x1, x1, #8
    ld1b {z8.b}, p0/z, [x1]
1:  start_rows 16
    add x25, x4, x9
    kernel_column x4, z0.b, z3.b, z6.b
    kernel_column x25, z1.b, z4.b, z7.b
    add x25, x25, x9
    kernel_column x25, z2.b, z5.b, z8.b
    finish_column 1b
function_end sl_depthwise_qs8_3x3_sme2_asm

// One tap of four output rows whose input rows are no neighbours.
.macro tap weight
    ld1b {z16.b}, p1/z, [x10, x25]
    ld1b {z17.b}, p1/z, [x11, x25]
    ld1b {z18.b}, p1/z, [x16, x25]
    ld1b {z19.b}, p1/z, [x17, x25]
    smlall za.s[w8, 0:3, vgx4], {z16.b-z19.b}, \weight
.endm

.macro taps_of_row from, a, b, c
    mov x25, \from
    tap \a
    add x25, x25, x9
    tap \b
    add x25, x25, x9
    tap \c
.endm

function_begin sl_depthwise_qs8_9_sme2_asm
    begin
    ldp x19, x9, [x0, #DOWN]
    ld1b {z0.b-z3.b}, pn8/z, [x1]
    ld1b {z4.b-z7.b}, pn8/z, [x1, #4, mul vl]
    addvl x1, x1, #8
    ld1b {z8.b}, p0/z, [x1]
1:  start_rows 16
    taps_of_row x4, z0.b, z1.b, z2.b
    add x20, x4, x19
    taps_of_row x20, z3.b, z4.b, z5.b
    add x20, x20, x19
    taps_of_row x20, z6.b, z7.b, z8.b
    finish_column 1b
function_end sl_depthwise_qs8_9_sme2_asm

function_begin sl_depthwise_qs8_any_sme2_asm
    begin
    ldp x19, x9, [x0, #DOWN]
    ldp x20, x25, [x0, #KERNEL_H]
    stp x3, x1, [sp, #-32]!     // the column step, the taps
    stp x4, x20, [sp, #16]      // where the column begins, kernel rows
1:  ldr x1, [sp, #8]
    start_rows 8
    ldp x4, x20, [sp, #16]
2:  mov x0, x25
    mov x3, x4
3:  ld1b {z16.b}, p1/z, [x10, x3]
    ld1b {z17.b}, p1/z, [x11, x3]
    ld1b {z18.b}, p1/z, [x16, x3]
    ld1b {z19.b}, p1/z, [x17, x3]
    ld1b {z0.b}, p0/z, [x1]
    addvl x1, x1, #1
    add x3, x3, x9
    subs x0, x0, #1
    smlall za.s[w8, 0:3, vgx4], {z16.b-z19.b}, z0.b
    b.ne 3b
    add x4, x4, x19
    subs x20, x20, #1
    b.ne 2b
    ldr x3, [sp]
    ldr x4, [sp, #16]
    add x4, x4, x3
    str x4, [sp, #16]
    finish_rows 32
    add x5, x5, x6
    subs x2, x2, #1
    b.ne 1b
    add sp, sp, #32
    ldp d10, d11, [sp, #16]
    ldp d12, d13, [sp, #32]
    ldp d14, d15, [sp, #48]
    ldp x19, x20, [sp, #64]
    ldp x21, x22, [sp, #80]
    ldp x23, x24, [sp, #96]
    ldr x25, [sp, #112]
    ldp d8, d9, [sp], #144
    ret
function_end sl_depthwise_qs8_any_sme2_asm

/* kernels/unary/gelu_neon_asm.S: x Phi(x) of 16 elements a turn, two turns at a time. The readable form is
 * that of gelu_neon.c's first comment; the result is unary_scalar.inc's.
 *
 * sl_gelu_neon_asm(turns, in, out, const float *tables): each constant 16 times, in the order of
 * gelu_neon.c, and behind them its factors. A name of four registers is four vectors; sums that
 * begin with a constant have it loaded. v28 to v30 factors, v31 the furthest t. */
#include "kernels/cpu/asm.h"

#define T 0, 1, 2, 3
#define SQUARE 4, 5, 6, 7
#define POWER 8, 9, 10, 11
#define R 12, 13, 14, 15
#define A 16, 17, 18, 19
#define B 20, 21, 22, 23
#define D 24, 25, 26, 27

.macro load a, b, c, d, from:vararg
    ld1 {v\a\().4s, v\b\().4s, v\c\().4s, v\d\().4s}, \from
.endm

// d = op(d, x, y), four times.
.macro ternary op, d0, d1, d2, d3, x0, x1, x2, x3, y0, y1, y2, y3
    \op v\d0\().4s, v\x0\().4s, v\y0\().4s
    \op v\d1\().4s, v\x1\().4s, v\y1\().4s
    \op v\d2\().4s, v\x2\().4s, v\y2\().4s
    \op v\d3\().4s, v\x3\().4s, v\y3\().4s
.endm

// The same with one y: a vector, or a lane.
.macro by op, y, d0, d1, d2, d3, x0, x1, x2, x3
    \op v\d0\().4s, v\x0\().4s, \y
    \op v\d1\().4s, v\x1\().4s, \y
    \op v\d2\().4s, v\x2\().4s, \y
    \op v\d3\().4s, v\x3\().4s, \y
.endm

.macro magnitude d0, d1, d2, d3
    fabs v\d0\().4s, v\d0\().4s
    fabs v\d1\().4s, v\d1\().4s
    fabs v\d2\().4s, v\d2\().4s
    fabs v\d3\().4s, v\d3\().4s
.endm

.macro turn
    load T, [x1]
    magnitude T
    by fmin, v31.4s, T, T
    ternary fmul, SQUARE, T, T
    load POWER, [x3]
    by fmla, v28.s[0], POWER, SQUARE
    load R, [x4]
    by fmls, v28.s[1], R, POWER
    ternary fmls, R, T, T
    load A, [x16]
    by mla, v29.s[2], A, POWER
    // e^(R/2) - 1, in R; POWER is free, the power is A
    load POWER, [x9]
    by fmla, v28.s[2], POWER, R
    load B, [x8]
    ternary fmla, B, POWER, R
    load POWER, [x7]
    ternary fmla, POWER, B, R
    load B, [x6]
    ternary fmla, B, POWER, R
    load POWER, [x5]
    ternary fmla, POWER, B, R
    ternary fmul, R, R, POWER
    // U = t M
    load B, [x12]
    by fmla, v29.s[0], B, T
    by fmla, v28.s[3], B, SQUARE
    load POWER, [x11]
    ternary fmla, POWER, B, T
    load B, [x10]
    ternary fmla, B, POWER, T
    ternary fmul, B, B, T
    // P + a U
    load D, [x15]
    by fmla, v29.s[1], D, T
    by fmla, v29.s[3], D, SQUARE
    load POWER, [x14]
    ternary fmla, POWER, D, T
    load D, [x13]
    ternary fmla, D, POWER, T
    by fmla, v30.s[0], D, B
    ternary fdiv, POWER, B, D
    ternary fmla, POWER, POWER, R
    load T, [x1], #64
    movi v4.4s, #0x80, lsl #24
    by fmin, v4.4s, D, T
    by fmax, v4.4s, T, T // max(x, -0): less 0, of -0 it is -0
    by fmls, v4.4s, T, D // less 0 too, but for -inf * 0
    ternary fmls, T, A, POWER
    st1 {v0.4s, v1.4s, v2.4s, v3.4s}, [x2], #64
.endm

function_begin sl_gelu_neon_asm
    cbz x0, 9f
    stp d8, d9, [sp, #-64]!
    stp d10, d11, [sp, #16]
    stp d12, d13, [sp, #32]
    stp d14, d15, [sp, #48]
    add x4, x3, #64
    add x5, x3, #128
    add x6, x3, #192
    add x7, x3, #256
    add x8, x3, #320
    add x9, x3, #384
    add x10, x3, #448
    add x11, x3, #512
    add x12, x3, #576
    add x13, x3, #640
    add x14, x3, #704
    add x15, x3, #768
    add x16, x3, #832
    add x17, x3, #896
    ldp q28, q29, [x17]
    ldp q30, q31, [x17, #32]
    tbz x0, #0, 1f
    turn
    subs x0, x0, #1
    b.eq 2f
1:  turn
    turn
    subs x0, x0, #2
    b.ne 1b
2:  ldp d10, d11, [sp, #16]
    ldp d12, d13, [sp, #32]
    ldp d14, d15, [sp, #48]
    ldp d8, d9, [sp], #64
9:  ret
function_end sl_gelu_neon_asm

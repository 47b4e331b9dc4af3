/* kernels/reduce/softmax_neon_asm.S: the three walks of softmax over neighbouring rows of 16 floats and more.
 * The readable form is that of softmax_neon.c.
 *
 * All take a const struct sl_softmax_walk *. sl_softmax_maxima_neon_asm: parts = each row's largest in four parts.
 * sl_softmax_powers_neon_asm: out = exp_of(in), parts = the sums in four parts. sl_softmax_scale_neon_asm: out =
 * out * scale. What is behind a row's quads comes as its last one, two or four vectors, first of all, for out may
 * be in; it is stored last, and only its `lanes` count for a sum. */
#include "kernels/cpu/asm.h"

#define X 0, 1, 2, 3
#define T 4, 5, 6, 7
#define KEPT 12, 13, 14, 15
#define Y 16, 17, 18, 19
#define Z 20, 21, 22, 23
#define X_OF v0.4s, v1.4s, v2.4s, v3.4s
#define ONE(v) v, v, v, v

// d = op(d, x, y) of n vectors.
.macro each n, op, d0, d1, d2, d3, x0, x1, x2, x3, y0, y1, y2, y3
    \op v\d0\().4s, v\x0\().4s, \y0
    .if \n > 1
    \op v\d1\().4s, v\x1\().4s, \y1
    .endif
    .if \n > 2
    \op v\d2\().4s, v\x2\().4s, \y2
    \op v\d3\().4s, v\x3\().4s, \y3
    .endif
.endm

.macro load n, a, b, c, d, from:vararg
    .if \n == 1
    ld1 {v\a\().4s}, \from
    .elseif \n == 2
    ld1 {v\a\().4s, v\b\().4s}, \from
    .elseif \n == 4
    ld1 {v\a\().4s, v\b\().4s, v\c\().4s, v\d\().4s}, \from
    .endif
.endm

// X = a row's last n vectors.
.macro load_tail n, row
    add x17, \row, x12
    load \n, X, [x17]
.endm

// KEPT to the end of what x2 has passed.
.macro store_tail n
    .if \n == 1
    stur q12, [x2, #-16]
    .elseif \n > 1
    stp q12, q13, [x2, #-16 * \n]
    .endif
    .if \n > 2
    stp q14, q15, [x2, #-32]
    .endif
.endm

// `quad` for each of x11 quads.
.macro all_quads quad
    lsr x13, x11, #1
    cbz x13, 3f
2:  \quad
    \quad
    subs x13, x13, #1
    b.ne 2b
3:  tbz x11, #0, 4f
    \quad
4:
.endm

// x0 rows, x1 in, x2 out, x3 parts; x9 bytes behind quads, x11 quads, x12 bytes to the last n vectors, x10 lanes.
.macro begin first_quad
    ldp x1, x2, [x0]
    ldp x3, x4, [x0, #16]
    ldp x10, x14, [x0, #32]
    ldp x5, x6, [x0, #48]
    ldr x7, [x0, #64]
    mov x8, x0
    mov x0, x14
    and x9, x4, #15
    lsr x11, x4, #4
    sub x11, x11, #\first_quad
    lsl x12, x4, #2
    stp d8, d9, [sp, #-128]!
    stp d10, d11, [sp, #16]
    stp d12, d13, [sp, #32]
    stp d14, d15, [sp, #48]
.endm

.macro end
    ldp d10, d11, [sp, #16]
    ldp d12, d13, [sp, #32]
    ldp d14, d15, [sp, #48]
    ldp d8, d9, [sp], #128
    ret
.endm

// `rows n` with as many last vectors as the elements behind quads take.
.macro by_tail rows
    mov x13, x9
    lsl x9, x9, #2
    cbz x13, 10f
    cmp x13, #4
    b.ls 11f
    cmp x13, #8
    b.ls 12f
    sub x12, x12, #64
    \rows 4
12: sub x12, x12, #32
    \rows 2
11: sub x12, x12, #16
    \rows 1
10: \rows 0
.endm

.macro next_row
    subs x0, x0, #1
    b.ne 1b
    end
.endm

.macro largest_quad
    load 4, T, [x1], #64
    each 4, fmax, X, X, v4.4s, v5.4s, v6.4s, v7.4s
.endm

.macro largest_rows n
1:  add x17, x1, x12
    load 4, X, [x1], #64
    .if \n > 0
    load \n, T, [x17]
    each \n, fmax, X, X, v4.4s, v5.4s, v6.4s, v7.4s
    .endif
    all_quads largest_quad
    .if \n > 0
    add x1, x1, x9
    .endif
    fmax v0.4s, v0.4s, v1.4s
    fmax v2.4s, v2.4s, v3.4s
    fmax v0.4s, v0.4s, v2.4s
    str q0, [x3], #16
    next_row
.endm

function_begin sl_softmax_maxima_neon_asm
    begin 1
    by_tail largest_rows
function_end sl_softmax_maxima_neon_asm

// `to` = exp_of(X). v27 and the stack the row's magic, v28 its lowest, v29 1 of an exponent, v30 factors, v31 c4.
.macro powers n, to0, to1, to2, to3
    each \n, fmax, X, X, ONE(v28.4s)
    load \n, T, [x16]
    each \n, fmla, T, X, ONE(v30.s[0])
    each \n, fsub, Y, T, ONE(v27.4s)
    each \n, fmls, X, Y, ONE(v30.s[1])
    each \n, fadd, Y, X, ONE(v31.4s)
    load \n, Z, [x7]
    each \n, fmla, Z, Y, X_OF
    load \n, Y, [x8]
    each \n, fmla, Y, Z, X_OF
    load \n, Z, [x14]
    each \n, fmla, Z, Y, X_OF
    load \n, \to0, \to1, \to2, \to3, [x15]
    each \n, fmla, \to0, \to1, \to2, \to3, Z, X_OF
    each \n, mla, \to0, \to1, \to2, \to3, T, ONE(v29.4s)
.endm

.macro power_quad
    load 4, X, [x1], #64
    powers 4, Y
    fadd v24.4s, v24.4s, v16.4s
    fadd v25.4s, v25.4s, v17.4s
    fadd v24.4s, v24.4s, v18.4s
    fadd v25.4s, v25.4s, v19.4s
    st1 {v16.4s-v19.4s}, [x2], #64
.endm

.macro power_rows n
1:  ld1r {v28.4s}, [x5], #4
    ld1r {v27.4s}, [x6], #4
    stp q27, q27, [x16]
    stp q27, q27, [x16, #32]
    movi v25.4s, #0
    .if \n == 0
    movi v24.4s, #0
    .else
    load_tail \n, x1
    powers \n, KEPT
    and v24.16b, v12.16b, v8.16b
    .endif
    .if \n > 1
    and v25.16b, v13.16b, v9.16b
    .endif
    .if \n > 2
    and v0.16b, v14.16b, v10.16b
    and v1.16b, v15.16b, v11.16b
    fadd v24.4s, v24.4s, v0.4s
    fadd v25.4s, v25.4s, v1.4s
    .endif
    all_quads power_quad
    .if \n > 0
    add x1, x1, x9
    add x2, x2, x9
    store_tail \n
    .endif
    fadd v24.4s, v24.4s, v25.4s
    str q24, [x3], #16
    next_row
.endm

function_begin sl_softmax_powers_neon_asm
    begin 0
    ld1 {v8.4s-v11.4s}, [x10]
    add x8, x7, #64
    add x14, x7, #128
    add x15, x7, #192
    ldp q31, q30, [x7, #256]
    ldr q29, [x7, #288]
    add x16, sp, #64
    by_tail power_rows
function_end sl_softmax_powers_neon_asm

.macro scale_quad
    load 4, X, [x2]
    each 4, fmul, X, X, ONE(v28.4s)
    st1 {v0.4s-v3.4s}, [x2], #64
.endm

.macro scale_rows n
1:  ld1r {v28.4s}, [x5], #4
    .if \n > 0
    load_tail \n, x2
    each \n, fmul, KEPT, X, ONE(v28.4s)
    .endif
    all_quads scale_quad
    .if \n > 0
    add x2, x2, x9
    store_tail \n
    .endif
    next_row
.endm

function_begin sl_softmax_scale_neon_asm
    begin 0
    ldr x5, [x8, #72]
    by_tail scale_rows
function_end sl_softmax_scale_neon_asm

/* kernels/layout/transpose_words_sme2_asm.S: rows of 32-bit elements to columns through ZA, blocks of two tiles by
 * two: za0 za1 over za2 za3, rows in as horizontal slices, columns out as vertical ones. The readable form is
 * transpose_scalar.h.
 *
 * sl_transpose_words_sme2_asm(const struct sl_transpose_words *), in streaming mode with ZA on. z8-z15 are not touched. */
#include "kernels/cpu/asm.h"

// Four rows from x16 on. pn8: columns of both tiles, p2: of the left one.
.macro quad_in left, right, slice, wide
    .if \wide
    ld1w {z16.s, z24.s}, pn8/z, [x16]
    ld1w {z17.s, z25.s}, pn8/z, [x16, x2, lsl #2]
    ld1w {z18.s, z26.s}, pn8/z, [x16, x10, lsl #2]
    ld1w {z19.s, z27.s}, pn8/z, [x16, x11, lsl #2]
    mova \right\()h.s[\slice, 0:3], {z24.s-z27.s}
    .else
    ld1w {z16.s}, p2/z, [x16]
    ld1w {z17.s}, p2/z, [x16, x2, lsl #2]
    ld1w {z18.s}, p2/z, [x16, x10, lsl #2]
    ld1w {z19.s}, p2/z, [x16, x11, lsl #2]
    .endif
    mova \left\()h.s[\slice, 0:3], {z16.s-z19.s}
    add x16, x16, x2, lsl #4
.endm

.macro row_in first, second, wide, at:vararg
    .if \wide
    ld1w {\first, \second}, pn8/z, [\at]
    .else
    ld1w {\first}, p2/z, [\at]
    .endif
.endm

// One to three rows, as the flags of x17 - 2 say.
.macro rest_in left, right, wide
    row_in z16.s, z24.s, \wide, x16
    b.lo 6f
    row_in z17.s, z25.s, \wide, x16, x2, lsl #2
    b.eq 6f
    row_in z18.s, z26.s, \wide, x16, x10, lsl #2
6:  mova \left\()h.s[w12, 0:3], {z16.s-z19.s}
    .if \wide
    mova \right\()h.s[w12, 0:3], {z24.s-z27.s}
    .endif
.endm

// A column to x22 on, of four tiles, two or one: pn9: rows of all tiles, p1: of a single one.
.macro column_out a, b, c, d, tiles, at:vararg
    .if \tiles == 4
    st1w {\a, \b, \c, \d}, pn9, [\at]
    .elseif \tiles == 2
    st1w {\a, \c}, pn9, [\at]
    .else
    st1w {\a}, p1, [\at]
    .endif
.endm

// Four columns of \upper, of \lower below it, or of za0 to za3.
.macro columns_of upper, lower, slice, tiles
    mova {z16.s-z19.s}, \upper\()v.s[\slice, 0:3]
    .if \tiles == 4
    mova {z20.s-z23.s}, za1v.s[\slice, 0:3]
    mova {z24.s-z27.s}, za2v.s[\slice, 0:3]
    mova {z28.s-z31.s}, za3v.s[\slice, 0:3]
    .elseif \tiles == 2
    mova {z24.s-z27.s}, \lower\()v.s[\slice, 0:3]
    .endif
.endm

.macro quad_out upper, lower, slice, tiles
    columns_of \upper, \lower, \slice, \tiles
    column_out z16.s, z20.s, z24.s, z28.s, \tiles, x22
    column_out z17.s, z21.s, z25.s, z29.s, \tiles, x22, x4, lsl #2
    column_out z18.s, z22.s, z26.s, z30.s, \tiles, x22, x8, lsl #2
    column_out z19.s, z23.s, z27.s, z31.s, \tiles, x22, x9, lsl #2
    add x22, x22, x4, lsl #4
.endm

// One to three columns, as the flags of x17 - 2 say.
.macro rest_out upper, lower, tiles
    columns_of \upper, \lower, w12, \tiles
    column_out z16.s, z20.s, z24.s, z28.s, \tiles, x22
    b.lo 6f
    column_out z17.s, z21.s, z25.s, z29.s, \tiles, x22, x4, lsl #2
    b.eq 6f
    column_out z18.s, z22.s, z26.s, z30.s, \tiles, x22, x8, lsl #2
6:
.endm

// x17 rows (in) or columns (out) of a tile, 1 to VL, by fours; w12 is 0 again behind them.
.macro tile way, first, second, how
    cmp x17, x20
    b.ne 1f
    quad_\way \first, \second, w12, \how
    quad_\way \first, \second, w13, \how
    quad_\way \first, \second, w14, \how
    quad_\way \first, \second, w15, \how
    b 5f
1:  subs x17, x17, #4
    b.lo 3f
2:  quad_\way \first, \second, w12, \how
    add w12, w12, #4
    subs x17, x17, #4
    b.hs 2b
3:  adds x17, x17, #4
    b.eq 4f
    cmp x17, #2
    rest_\way \first, \second, \how
4:  mov w12, wzr
5:
.endm

// x23 rows are to come.
.macro next_tile tile
    cmp x23, x7
    csel x17, x23, x7, lo
    tile in, \tile, \tile, 0
    subs x23, x23, x7
    b.ls 55f
.endm

// x23 columns of the block.
.macro block tiles, wide
    mov x16, x21
    .if \tiles == 2
    mov x17, x7
    tile in, za0, za1, \wide
    sub x17, x5, x7
    cmp x17, x7
    csel x17, x17, x7, lo
    tile in, za2, za3, \wide
    .else
    mov x17, x5
    tile in, za0, za1, \wide
    .endif
    .if \wide
    mov x17, x7
    tile out, za0, za2, \tiles
    sub x17, x23, x7
    cmp x17, x7
    csel x17, x17, x7, lo
    tile out, za1, za3, \tiles
    .else
    mov x17, x23
    tile out, za0, za2, \tiles
    .endif
.endm

.macro blocks tiles
30: whilelt pn8.s, xzr, x23, vlx2
    whilelt p2.s, xzr, x23
    cmp x23, x7
    b.ls 31f
    block \tiles, 1
    add x21, x21, x7, lsl #3
    subs x23, x23, x7, lsl #1
    b.hi 30b
    b 40f
31: block \tiles, 0
    b 40f
.endm

function_begin sl_transpose_words_sme2_asm
    stp x19, x20, [sp, #-48]!
    stp x21, x22, [sp, #16]
    str x23, [sp, #32]
    ldp x1, x2, [x0]            // in, elements from row to row
    ldp x3, x4, [x0, #16]       // out, elements from column to column
    ldp x5, x6, [x0, #32]       // rows, columns
    cntw x7
    cmp x7, #16
    csel x20, x7, xzr, eq       // 16 where a tile has as many rows, else nothing
    lsl x8, x4, #1
    add x9, x8, x4
    lsl x10, x2, #1
    add x11, x10, x2
    mul x19, x2, x7             // elements from a block's first row to half of it
    mov w12, wzr
    mov w13, #4
    mov w14, #8
    mov w15, #12
    cmp x6, x7
    b.ls 50f
10: mov x21, x1
    mov x22, x3
    mov x23, x6
    whilelt pn9.s, xzr, x5, vlx2
    cmp x5, x7
    b.ls 20f
    blocks 2
20: whilelt p1.s, xzr, x5
    blocks 1
40: add x1, x1, x19, lsl #3
    add x3, x3, x7, lsl #3
    subs x5, x5, x7, lsl #1
    b.hi 10b
    b 90f
50: whilelt p2.s, xzr, x6       // columns of one tile: rows of four
51: whilelt pn9.s, xzr, x5, vlx4
    mov x16, x1
    mov x22, x3
    mov x23, x5
    next_tile za0
    next_tile za1
    next_tile za2
    next_tile za3
55: mov x17, x6
    tile out, za0, za2, 4
    add x1, x1, x19, lsl #4
    add x3, x3, x7, lsl #4
    subs x5, x5, x7, lsl #2
    b.hi 51b
90: ldr x23, [sp, #32]
    ldp x21, x22, [sp, #16]
    ldp x19, x20, [sp], #48
    ret
function_end sl_transpose_words_sme2_asm

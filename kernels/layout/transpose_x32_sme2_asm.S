/* kernels/layout/transpose_x32_sme2_asm.S: up to 2VL rows of 32-bit elements to columns, through ZA.
 *
 * sl_transpose_rows_sme2_asm(const struct sl_transpose_rows *), in streaming mode with ZA on. What it
 * computes is stated by sl_transpose_rows_scalar() in transpose_rows_scalar.c. z8-z15 are not touched.
 *
 * Tiles: za0 za1 over za2 za3, rows in as horizontal slices, columns out as vertical ones. Where a
 * vector holds 16 elements, four whole tiles go without a loop. */
#include "kernels/cpu/asm.h"

.macro next_four back
    add w12, w12, #4
    cmp w12, w7
    b.lo \back
.endm

// w21 columns of two tiles, one over the other; stored by the rows of both, pn9.
.macro columns_out upper, lower
    mov w12, wzr
1:  mova {z16.s-z19.s}, \upper\()v.s[w12, 0:3]
    mova {z24.s-z27.s}, \lower\()v.s[w12, 0:3]
    add w12, w12, #4
    cmp w12, w21
    b.hi 2f
    st1w {z16.s, z24.s}, pn9, [x3]
    st1w {z17.s, z25.s}, pn9, [x3, x4, lsl #2]
    st1w {z18.s, z26.s}, pn9, [x3, x8, lsl #2]
    st1w {z19.s, z27.s}, pn9, [x3, x9, lsl #2]
    add x3, x3, x4, lsl #4
    b.lo 1b
    b 4f
2:  st1w {z16.s, z24.s}, pn9, [x3]
    tbz w21, #1, 4f
    st1w {z17.s, z25.s}, pn9, [x3, x4, lsl #2]
    tbz w21, #0, 4f
    st1w {z18.s, z26.s}, pn9, [x3, x8, lsl #2]
4:
.endm

// Rows \slice .. \slice + 3 of the upper and of the lower tiles.
.macro rows_of_four_tiles slice
    ldp x16, x17, [x20], #16
    ldp x21, x22, [x20], #16
    ld1w {z16.s, z24.s}, pn8/z, [x16, x10, lsl #2]
    ld1w {z17.s, z25.s}, pn8/z, [x17, x10, lsl #2]
    ld1w {z18.s, z26.s}, pn8/z, [x21, x10, lsl #2]
    ld1w {z19.s, z27.s}, pn8/z, [x22, x10, lsl #2]
    ldp x16, x17, [x19], #16
    ldp x21, x22, [x19], #16
    ld1w {z20.s, z28.s}, pn8/z, [x16, x10, lsl #2]
    ld1w {z21.s, z29.s}, pn8/z, [x17, x10, lsl #2]
    ld1w {z22.s, z30.s}, pn8/z, [x21, x10, lsl #2]
    ld1w {z23.s, z31.s}, pn8/z, [x22, x10, lsl #2]
    mova za0h.s[\slice, 0:3], {z16.s-z19.s}
    mova za1h.s[\slice, 0:3], {z24.s-z27.s}
    mova za2h.s[\slice, 0:3], {z20.s-z23.s}
    mova za3h.s[\slice, 0:3], {z28.s-z31.s}
.endm

// Four columns of the left tiles to x3, four of the right ones to x11.
.macro columns_of_four_tiles slice
    mova {z16.s-z19.s}, za0v.s[\slice, 0:3]
    mova {z24.s-z27.s}, za2v.s[\slice, 0:3]
    mova {z20.s-z23.s}, za1v.s[\slice, 0:3]
    mova {z28.s-z31.s}, za3v.s[\slice, 0:3]
    st1w {z16.s, z24.s}, pn9, [x3]
    st1w {z17.s, z25.s}, pn9, [x3, x4, lsl #2]
    st1w {z18.s, z26.s}, pn9, [x3, x8, lsl #2]
    st1w {z19.s, z27.s}, pn9, [x3, x9, lsl #2]
    add x3, x3, x4, lsl #4
    st1w {z20.s, z28.s}, pn9, [x11]
    st1w {z21.s, z29.s}, pn9, [x11, x4, lsl #2]
    st1w {z22.s, z30.s}, pn9, [x11, x8, lsl #2]
    st1w {z23.s, z31.s}, pn9, [x11, x9, lsl #2]
    add x11, x11, x4, lsl #4
.endm

function_begin sl_transpose_rows_sme2_asm
    stp x19, x20, [sp, #-48]!
    stp x21, x22, [sp, #16]
    str x23, [sp, #32]
    ldp x1, x2, [x0]            // row pointers, columns
    ldp x3, x4, [x0, #16]       // out, elements from column to column
    ldr x5, [x0, #32]           // rows
    cntw x7
    whilelt pn9.s, xzr, x5, vlx2
    lsl x8, x4, #1
    add x9, x8, x4
    mul x23, x4, x7             // elements from column to column VL on
    mov x10, xzr
10: whilelt pn8.s, x10, x2, vlx2
    sub x6, x2, x10
    mov w12, wzr
    mov x20, x1
    add x19, x1, x7, lsl #3
    cmp x5, x7
    b.hi 30f
20: // one tile of rows
    ldp x13, x14, [x20], #16
    ldp x16, x17, [x20], #16
    ld1w {z16.s, z24.s}, pn8/z, [x13, x10, lsl #2]
    ld1w {z17.s, z25.s}, pn8/z, [x14, x10, lsl #2]
    ld1w {z18.s, z26.s}, pn8/z, [x16, x10, lsl #2]
    ld1w {z19.s, z27.s}, pn8/z, [x17, x10, lsl #2]
    mova za0h.s[w12, 0:3], {z16.s-z19.s}
    mova za1h.s[w12, 0:3], {z24.s-z27.s}
    next_four 20b
    b 40f
30: // two
    cmp x6, x7, lsl #1
    ccmp x7, #16, #0, hs
    b.eq 60f
35: rows_of_four_tiles w12
    next_four 35b
40: cmp x6, x7, lsl #1
    b.lo 45f
    mov w12, wzr
    add x11, x3, x23, lsl #2
42: // all columns of all four tiles
    columns_of_four_tiles w12
    next_four 42b
    mov x3, x11
    b 50f
45: cmp x6, x7
    csel x21, x6, x7, lo
    columns_out za0, za2
    subs x21, x6, x7
    b.ls 50f
    cmp x21, x7
    csel x21, x21, x7, lo
    columns_out za1, za3
50: add x10, x10, x7, lsl #1
    cmp x10, x2
    b.lo 10b
    b 90f
60: // 32 columns of 17 to 32 rows
    mov w13, #4
    mov w14, #8
    mov w15, #12
    rows_of_four_tiles w12
    rows_of_four_tiles w13
    rows_of_four_tiles w14
    rows_of_four_tiles w15
    add x11, x3, x23, lsl #2
    columns_of_four_tiles w12
    columns_of_four_tiles w13
    columns_of_four_tiles w14
    columns_of_four_tiles w15
    mov x3, x11
    b 50b
90: ldr x23, [sp, #32]
    ldp x21, x22, [sp, #16]
    ldp x19, x20, [sp], #48
    ret
function_end sl_transpose_rows_sme2_asm

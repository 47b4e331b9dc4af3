/* kernels/pack/pack_f32_1vl_sme2_asm.S: rows of floats, found through a table of pointers, into
 * panels [k][VL], through ZA: rows go in as horizontal slices, columns come out as vertical ones.
 *
 * sl_pack_f32_1vl_sme2_asm(const struct sl_pack_f32 *job), in streaming mode with ZA on. What it
 * computes is stated by sl_pack_f32_1vl_scalar() in pack_f32_scalar.c. z8-z15 are not touched.
 *
 * Four rows and up to four VL of columns a turn: one strided load brings 4 VL of a row into the same
 * place of four register groups, so that one MOVA moves four rows of one tile. Where a vector holds
 * 16 floats, the whole of four tiles goes without a loop. */
#include "kernels/cpu/asm.h"

// Reads the pointers of four rows: x13, x14, x16, x17. x20 walks the table.
.macro row_pointers
    ldp x13, x14, [x20], #16
    ldp x16, x17, [x20], #16
.endm

.macro next_rows back
    add w12, w12, #4
    cmp w12, w7
    b.lo \back
.endm

// Rows \slice .. \slice + 3 of four tiles of 16 rows.
.macro four_rows_of_16 slice
    ldp x16, x17, [x20], #16
    ldp x21, x22, [x20], #16
    ld1w {z16.s, z20.s, z24.s, z28.s}, pn9/z, [x16, x10, lsl #2]
    ld1w {z17.s, z21.s, z25.s, z29.s}, pn9/z, [x17, x10, lsl #2]
    ld1w {z18.s, z22.s, z26.s, z30.s}, pn9/z, [x21, x10, lsl #2]
    ld1w {z19.s, z23.s, z27.s, z31.s}, pn9/z, [x22, x10, lsl #2]
    mova za0h.s[\slice, 0:3], {z16.s-z19.s}
    mova za1h.s[\slice, 0:3], {z20.s-z23.s}
    mova za2h.s[\slice, 0:3], {z24.s-z27.s}
    mova za3h.s[\slice, 0:3], {z28.s-z31.s}
.endm

// The 16 columns of a tile, to 16 VL from \at VL on.
.macro tile_of_16_out tile, first, second, third, fourth
    mova {z16.s-z19.s}, \tile\()v.s[w12, 0:3]
    mova {z20.s-z23.s}, \tile\()v.s[w13, 0:3]
    mova {z24.s-z27.s}, \tile\()v.s[w14, 0:3]
    mova {z28.s-z31.s}, \tile\()v.s[w15, 0:3]
    st1w {z16.s-z19.s}, pn9, [x6, #\first, mul vl]
    st1w {z20.s-z23.s}, pn9, [x6, #\second, mul vl]
    st1w {z24.s-z27.s}, pn9, [x6, #\third, mul vl]
    st1w {z28.s-z31.s}, pn9, [x6, #\fourth, mul vl]
.endm

// Columns x10 .. x11 of the tile's rows into 1, 2 or 4 tiles; lanes past x11 become 0.
.macro rows_in_4
    whilelt pn8.s, x10, x11, vlx4
    mov w12, wzr
    mov x20, x1
1:  row_pointers
    ld1w {z16.s, z20.s, z24.s, z28.s}, pn8/z, [x13, x10, lsl #2]
    ld1w {z17.s, z21.s, z25.s, z29.s}, pn8/z, [x14, x10, lsl #2]
    ld1w {z18.s, z22.s, z26.s, z30.s}, pn8/z, [x16, x10, lsl #2]
    ld1w {z19.s, z23.s, z27.s, z31.s}, pn8/z, [x17, x10, lsl #2]
    mova za0h.s[w12, 0:3], {z16.s-z19.s}
    mova za1h.s[w12, 0:3], {z20.s-z23.s}
    mova za2h.s[w12, 0:3], {z24.s-z27.s}
    mova za3h.s[w12, 0:3], {z28.s-z31.s}
    next_rows 1b
.endm

.macro rows_in_2
    whilelt pn8.s, x10, x11, vlx2
    mov w12, wzr
    mov x20, x1
1:  row_pointers
    ld1w {z16.s, z24.s}, pn8/z, [x13, x10, lsl #2]
    ld1w {z17.s, z25.s}, pn8/z, [x14, x10, lsl #2]
    ld1w {z18.s, z26.s}, pn8/z, [x16, x10, lsl #2]
    ld1w {z19.s, z27.s}, pn8/z, [x17, x10, lsl #2]
    mova za0h.s[w12, 0:3], {z16.s-z19.s}
    mova za1h.s[w12, 0:3], {z24.s-z27.s}
    next_rows 1b
.endm

.macro rows_in_1
    whilelt p1.s, x10, x11
    mov w12, wzr
    mov x20, x1
1:  row_pointers
    ld1w {z16.s}, p1/z, [x13, x10, lsl #2]
    ld1w {z17.s}, p1/z, [x14, x10, lsl #2]
    ld1w {z18.s}, p1/z, [x16, x10, lsl #2]
    ld1w {z19.s}, p1/z, [x17, x10, lsl #2]
    mova za0h.s[w12, 0:3], {z16.s-z19.s}
    next_rows 1b
.endm

// Three short segments at once, from x10, x11 and x19 on, each to its own tile.
.macro rows_in_of_three
    whilelt p1.s, xzr, x4
    mov w12, wzr
    mov x20, x1
1:  row_pointers
    ld1w {z16.s}, p1/z, [x13, x10, lsl #2]
    ld1w {z17.s}, p1/z, [x14, x10, lsl #2]
    ld1w {z18.s}, p1/z, [x16, x10, lsl #2]
    ld1w {z19.s}, p1/z, [x17, x10, lsl #2]
    ld1w {z20.s}, p1/z, [x13, x11, lsl #2]
    ld1w {z21.s}, p1/z, [x14, x11, lsl #2]
    ld1w {z22.s}, p1/z, [x16, x11, lsl #2]
    ld1w {z23.s}, p1/z, [x17, x11, lsl #2]
    ld1w {z24.s}, p1/z, [x13, x19, lsl #2]
    ld1w {z25.s}, p1/z, [x14, x19, lsl #2]
    ld1w {z26.s}, p1/z, [x16, x19, lsl #2]
    ld1w {z27.s}, p1/z, [x17, x19, lsl #2]
    mova za0h.s[w12, 0:3], {z16.s-z19.s}
    mova za1h.s[w12, 0:3], {z20.s-z23.s}
    mova za2h.s[w12, 0:3], {z24.s-z27.s}
    next_rows 1b
.endm

// w21 columns of one tile to x6. Columns lie one after the other, so the last store is cut by length.
.macro columns_out tile
    mov w12, wzr
    bics w22, w21, #3
    b.eq 2f
1:  mova {z16.s-z19.s}, \tile\()v.s[w12, 0:3]
    add w12, w12, #4
    st1w {z16.s-z19.s}, pn9, [x6]
    cmp w12, w22
    addvl x6, x6, #4
    b.lo 1b
2:  ands w22, w21, #3
    b.eq 3f
    mul x22, x22, x7
    whilelt pn8.s, xzr, x22, vlx4
    mova {z16.s-z19.s}, \tile\()v.s[w12, 0:3]
    st1w {z16.s-z19.s}, pn8, [x6]
    add x6, x6, x22, lsl #2
3:
.endm

// Columns of one more tile: x19 are left, at most VL of them belong to it. Ends at 9 with none left.
.macro columns_of tile
    cmp x19, x7
    csel x21, x19, x7, lo
    columns_out \tile
    subs x19, x19, x21
    b.eq 9f
.endm

function_begin sl_pack_f32_1vl_sme2_asm
    stp x19, x20, [sp, #-64]!
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    str x25, [sp, #48]
    ldp x1, x2, [x0]            // row pointers, segment offsets
    ldp x3, x4, [x0, #16]       // segments, elements of each
    ldp x5, x6, [x0, #32]       // tiles, out
    cntw x7
    ptrue pn9.s
    mul x23, x7, x7             // elements of one tile
    lsl x24, x23, #1
    add x25, x23, x24
10: // a tile of VL rows
    mov x8, x3
    mov x9, x2
20: // a segment of consecutive elements of each row, or three that fit a vector
    cmp x4, x7
    b.hi 25f
    cmp x8, #3
    b.lo 25f
    ldp x10, x11, [x9], #16
    ldr x19, [x9], #8
    rows_in_of_three
    mov w21, w4
    columns_out za0
    columns_out za1
    columns_out za2
    sub x8, x8, #2
    b 90f
25: ldr x10, [x9], #8
    add x11, x10, x4
30: // up to 4 VL of it
    sub x19, x11, x10
    cmp x19, x7
    b.ls 70f
    cmp x19, x7, lsl #1
    b.ls 60f
    cmp x19, x7, lsl #2
    ccmp x7, #16, #0, hs
    b.eq 35f
    rows_in_4
    cmp x19, x7, lsl #2
    b.lo 80f
    mov w12, wzr
40: mova {z16.s-z19.s}, za0v.s[w12, 0:3]
    mova {z20.s-z23.s}, za1v.s[w12, 0:3]
    mova {z24.s-z27.s}, za2v.s[w12, 0:3]
    mova {z28.s-z31.s}, za3v.s[w12, 0:3]
    st1w {z16.s-z19.s}, pn9, [x6]
    st1w {z20.s-z23.s}, pn9, [x6, x23, lsl #2]
    st1w {z24.s-z27.s}, pn9, [x6, x24, lsl #2]
    st1w {z28.s-z31.s}, pn9, [x6, x25, lsl #2]
    addvl x6, x6, #4
    next_rows 40b
    add x10, x10, x7, lsl #2
    add x6, x6, x25, lsl #2
    cmp x10, x11
    b.lo 30b
    b 90f
35: // four whole tiles of 16 rows
    mov w12, wzr
    mov w13, #4
    mov w14, #8
    mov w15, #12
36: mov x20, x1
    four_rows_of_16 w12
    four_rows_of_16 w13
    four_rows_of_16 w14
    four_rows_of_16 w15
    tile_of_16_out za0, 0, 4, 8, 12
    tile_of_16_out za1, 16, 20, 24, 28
    add x6, x6, x24, lsl #2
    tile_of_16_out za2, 0, 4, 8, 12
    tile_of_16_out za3, 16, 20, 24, 28
    add x6, x6, x24, lsl #2
    add x10, x10, #64
    sub x19, x11, x10
    cmp x19, #64
    b.hs 36b
    cbnz x19, 30b
    b 90f
60: rows_in_2
    cmp x19, x7, lsl #1
    b.lo 80f
    mov w12, wzr
65: mova {z16.s-z19.s}, za0v.s[w12, 0:3]
    mova {z20.s-z23.s}, za1v.s[w12, 0:3]
    st1w {z16.s-z19.s}, pn9, [x6]
    st1w {z20.s-z23.s}, pn9, [x6, x23, lsl #2]
    addvl x6, x6, #4
    next_rows 65b
    add x6, x6, x23, lsl #2
    b 90f
70: rows_in_1
80: columns_of za0
    columns_of za1
    columns_of za2
    columns_of za3
9:
90: subs x8, x8, #1
    b.ne 20b
    add x1, x1, x7, lsl #3
    subs x5, x5, #1
    b.ne 10b
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldr x25, [sp, #48]
    ldp x19, x20, [sp], #64
    ret
function_end sl_pack_f32_1vl_sme2_asm

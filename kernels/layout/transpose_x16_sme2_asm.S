/* kernels/layout/transpose_x16_sme2_asm.S: up to 2VL rows of 16-bit elements to columns, through ZA: the
 * first VL rows are horizontal slices of tile 0, the others of tile 1, and a column is a vertical slice of
 * both. The readable form is transpose_scalar.h.
 *
 * sl_transpose_halves_sme2_asm(const struct sl_transpose_halves *), in streaming mode with ZA on. */
#include "kernels/cpu/asm.h"

// Rows x17 .. x17 + 3 of the block.
.macro quad_in tile, at, slices
    ld1h {z0.h}, p1/z, [x17]
    ld1h {z1.h}, p1/z, [x17, x2, lsl #1]
    ld1h {z2.h}, p1/z, [x17, x0, lsl #1]
    ld1h {z3.h}, p1/z, [x17, x16, lsl #1]
    mova \tile\()h.h[\at, \slices], {z0.h-z3.h}
    add x17, x17, x2, lsl #3
.endm

// x11 rows, at most VL, from x17 on. w12 to w15 are 0, 8, 16, 24 where 32 rows make a tile.
.macro rows_in tile
    cmp x11, x5
    b.ne 7f
    quad_in \tile, w12, 0:3
    quad_in \tile, w12, 4:7
    quad_in \tile, w13, 0:3
    quad_in \tile, w13, 4:7
    quad_in \tile, w14, 0:3
    quad_in \tile, w14, 4:7
    quad_in \tile, w15, 0:3
    quad_in \tile, w15, 4:7
    b 6f
7:
    subs x11, x11, #16
    b.lo 2f
1:  add w13, w12, #8
    quad_in \tile, w12, 0:3
    quad_in \tile, w12, 4:7
    quad_in \tile, w13, 0:3
    quad_in \tile, w13, 4:7
    add w12, w12, #16
    subs x11, x11, #16
    b.hs 1b
2:  adds x11, x11, #12
    b.mi 4f
3:  quad_in \tile, w12, 0:3
    add w12, w12, #4
    subs x11, x11, #4
    b.hs 3b
4:  adds x11, x11, #4
    b.eq 8f
5:  ld1h {z0.h}, p1/z, [x17]
    mova \tile\()h.h[w12, 0], p0/m, z0.h
    add x17, x17, x2, lsl #1
    add w12, w12, #1
    subs x11, x11, #1
    b.ne 5b
8:  mov w12, wzr
    mov w13, #8
6:
.endm

.macro quad_of_columns at, slices
    mova {z16.h-z19.h}, za0v.h[\at, \slices]
    mova {z24.h-z27.h}, za1v.h[\at, \slices]
.endm

.macro quad_out at, slices
    quad_of_columns \at, \slices
    st1h {z16.h, z24.h}, pn9, [x3]
    st1h {z17.h, z25.h}, pn9, [x3, x4, lsl #1]
    st1h {z18.h, z26.h}, pn9, [x3, x8, lsl #1]
    st1h {z19.h, z27.h}, pn9, [x3, x9, lsl #1]
    add x3, x3, x4, lsl #3
.endm

// x11 columns, at most VL, to x3 on.
.macro columns_out
    cmp x11, x5
    b.ne 7f
    quad_out w12, 0:3
    quad_out w12, 4:7
    quad_out w13, 0:3
    quad_out w13, 4:7
    quad_out w14, 0:3
    quad_out w14, 4:7
    quad_out w15, 0:3
    quad_out w15, 4:7
    b 6f
7:
    subs x11, x11, #16
    b.lo 2f
1:  add w13, w12, #8
    quad_out w12, 0:3
    quad_out w12, 4:7
    quad_out w13, 0:3
    quad_out w13, 4:7
    add w12, w12, #16
    subs x11, x11, #16
    b.hs 1b
2:  adds x11, x11, #12
    b.mi 4f
3:  quad_out w12, 0:3
    add w12, w12, #4
    subs x11, x11, #4
    b.hs 3b
4:  adds x11, x11, #4
    b.eq 8f
    quad_of_columns w12, 0:3
    st1h {z16.h, z24.h}, pn9, [x3]
    tbz w11, #1, 8f
    st1h {z17.h, z25.h}, pn9, [x3, x4, lsl #1]
    tbz w11, #0, 8f
    st1h {z18.h, z26.h}, pn9, [x3, x8, lsl #1]
8:  mov w12, wzr
    mov w13, #8
6:
.endm

function_begin sl_transpose_halves_sme2_asm
    str x19, [sp, #-16]!
    ldp x1, x2, [x0]            // in, elements from row to row
    ldp x3, x4, [x0, #16]       // out, elements from column to column
    ldp x19, x6, [x0, #32]      // rows, columns
    ptrue p0.h
    whilelt pn9.h, xzr, x19, vlx2
    cnth x7
    cmp x7, #32
    csel x5, x7, xzr, eq        // 32 where a tile has as many rows, else nothing
    mov w12, wzr
    mov w13, #8
    mov w14, #16
    mov w15, #24
    lsl x8, x4, #1
    add x9, x8, x4
    lsl x0, x2, #1
    add x16, x0, x2
    mov x10, xzr
10: whilelt p1.h, x10, x6
    add x17, x1, x10, lsl #1
    cmp x19, x7
    csel x11, x19, x7, lo
    rows_in za0
    subs x11, x19, x7
    b.ls 20f
    rows_in za1
20: sub x11, x6, x10
    cmp x11, x7
    csel x11, x11, x7, lo
    columns_out
    add x10, x10, x7
    cmp x10, x6
    b.lo 10b
    ldr x19, [sp], #16
    ret
function_end sl_transpose_halves_sme2_asm

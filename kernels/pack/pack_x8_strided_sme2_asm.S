/* kernels/pack/pack_x8_strided_sme2_asm.S: rows of bytes at one distance from each other into panels
 * of words [k / 4][VL], where a vector holds 16 words. The general form is in pack_1vl_walk.inc; this
 * one needs no table of pointers, and goes without loops over the rows of a tile.
 *
 * sl_pack_x8_strided_sme2_asm(const struct sl_pack_x8_strided *job), in streaming mode with ZA on. What
 * it computes is stated by sl_pack_x8_1vl_scalar() in pack_x8.c. z8-z15 are not touched. */
#include "kernels/cpu/asm.h"

// Four rows from x17 on, up to 64 words of each, into 1, 2 or 4 tiles.
.macro four_rows slice, some, tiles
    .if \tiles == 1
    ld1b {z16.b}, p1/z, [x17]
    ld1b {z17.b}, p1/z, [x17, x2]
    ld1b {z18.b}, p1/z, [x17, x7]
    ld1b {z19.b}, p1/z, [x17, x8]
    mova za0h.s[\slice, 0:3], {z16.s-z19.s}
    .elseif \tiles == 2
    ld1b {z16.b, z24.b}, \some/z, [x17]
    ld1b {z17.b, z25.b}, \some/z, [x17, x2]
    ld1b {z18.b, z26.b}, \some/z, [x17, x7]
    ld1b {z19.b, z27.b}, \some/z, [x17, x8]
    mova za0h.s[\slice, 0:3], {z16.s-z19.s}
    mova za1h.s[\slice, 0:3], {z24.s-z27.s}
    .else
    ld1b {z16.b, z20.b, z24.b, z28.b}, \some/z, [x17]
    ld1b {z17.b, z21.b, z25.b, z29.b}, \some/z, [x17, x2]
    ld1b {z18.b, z22.b, z26.b, z30.b}, \some/z, [x17, x7]
    ld1b {z19.b, z23.b, z27.b, z31.b}, \some/z, [x17, x8]
    mova za0h.s[\slice, 0:3], {z16.s-z19.s}
    mova za1h.s[\slice, 0:3], {z20.s-z23.s}
    mova za2h.s[\slice, 0:3], {z24.s-z27.s}
    mova za3h.s[\slice, 0:3], {z28.s-z31.s}
    .endif
.endm

.macro sixteen_rows some, tiles
    mov x17, x11
    four_rows w12, \some, \tiles
    add x17, x17, x9
    four_rows w13, \some, \tiles
    add x17, x17, x9
    four_rows w14, \some, \tiles
    add x17, x17, x9
    four_rows w15, \some, \tiles
.endm

// The 16 steps of a tile to x6, which moves on.
.macro tile_out tile
    mova {z16.s-z19.s}, \tile\()v.s[w12, 0:3]
    mova {z20.s-z23.s}, \tile\()v.s[w13, 0:3]
    mova {z24.s-z27.s}, \tile\()v.s[w14, 0:3]
    mova {z28.s-z31.s}, \tile\()v.s[w15, 0:3]
    st1w {z16.s-z19.s}, pn9, [x6]
    st1w {z20.s-z23.s}, pn9, [x6, #4, mul vl]
    st1w {z24.s-z27.s}, pn9, [x6, #8, mul vl]
    st1w {z28.s-z31.s}, pn9, [x6, #12, mul vl]
    addvl x6, x6, #16
.endm

// x21 steps are left, at most 16 of them in this tile.
.macro some_steps_out tile
    cmp x21, #16
    b.lo 1f
    tile_out \tile
    subs x21, x21, #16
    b.eq 90f
    b 4f
1:  cmp x21, #4
    b.lo 3f
    mov w15, wzr
2:  mova {z16.s-z19.s}, \tile\()v.s[w15, 0:3]
    add w15, w15, #4
    sub x21, x21, #4
    st1w {z16.s-z19.s}, pn9, [x6]
    addvl x6, x6, #4
    cmp x21, #4
    b.hs 2b
    cbz x21, 80f
    mova {z16.s-z19.s}, \tile\()v.s[w15, 0:3]
    st1w {z16.s-z19.s}, pn10, [x6]
    add x6, x6, x22
    b 80f
3:  mova {z16.s-z19.s}, \tile\()v.s[w12, 0:3]
    st1w {z16.s-z19.s}, pn10, [x6]
    add x6, x6, x22
    b 90f
4:
.endm

function_begin sl_pack_x8_strided_sme2_asm
    stp x21, x22, [sp, #-16]!
    ldp x1, x2, [x0]            // the first row, bytes from row to row
    ldp x3, x5, [x0, #16]       // bytes of a row, tiles
    ldr x6, [x0, #32]
    lsl x7, x2, #1
    add x8, x7, x2
    lsl x9, x2, #2
    and x10, x3, #255           // behind the last whole 64 words
    add x4, x10, #3
    lsr x4, x4, #2              // steps of it
    and x22, x4, #3
    lsl x22, x22, #4
    ptrue pn9.b
    whilelt pn8.b, xzr, x10, vlx4
    whilelt pn10.s, xzr, x22, vlx4
    whilelt p1.b, xzr, x10
    lsl x22, x22, #2            // bytes of its last steps
    mov w12, wzr
    mov w13, #4
    mov w14, #8
    mov w15, #12
10: mov x11, x1
    subs x16, x3, #256
    b.lo 50f
20: sixteen_rows pn9, 4
    tile_out za0
    tile_out za1
    tile_out za2
    tile_out za3
    add x11, x11, #256
    subs x16, x16, #256
    b.hs 20b
    cbz x10, 90f
50: mov x21, x4
    cmp x4, #16
    b.hi 60f
    sixteen_rows pn8, 1
    some_steps_out za0
60: cmp x4, #32
    b.hi 70f
    sixteen_rows pn8, 2
    some_steps_out za0
    some_steps_out za1
70: sixteen_rows pn8, 4
    some_steps_out za0
    some_steps_out za1
    some_steps_out za2
    some_steps_out za3
80: mov w15, #12
90: add x1, x1, x2, lsl #4
    subs x5, x5, #1
    b.ne 10b
    ldp x21, x22, [sp], #16
    ret
function_end sl_pack_x8_strided_sme2_asm

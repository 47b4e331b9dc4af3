/* kernels/pack/pack_rows_16_sme2_asm.S: rows of up to 16 words at equal distances into panels of words
 * [words][16], through one tile of ZA, for vectors of 16 words. A word is four bytes of one row, the last
 * one filled up with zeros. Other rows: pack_16_sme2_asm.inc.
 *
 * sl_pack_rows_16_sme2_asm(const struct sl_pack_short *job), in streaming mode with ZA on. z8-z15 are not
 * touched. The lanes behind the last row hold rows before it, or zeros. */
#include "kernels/cpu/asm.h"
#include "kernels/pack/distances_asm.inc"

.macro rows_to_tile
    mova za0h.s[w12, 0:3], {z16.s-z19.s}
    mova za0h.s[w13, 0:3], {z20.s-z23.s}
    mova za0h.s[w14, 0:3], {z24.s-z27.s}
    mova za0h.s[w15, 0:3], {z28.s-z31.s}
.endm

// A tile's lines, \quads times four, the last four by pn10.
.macro lines_out quads
    mova {z16.s-z19.s}, za0v.s[w12, 0:3]
    .if \quads == 1
    st1w {z16.s-z19.s}, pn10, [x6]
    .else
    st1w {z16.s-z19.s}, pn9, [x6]
    mova {z20.s-z23.s}, za0v.s[w13, 0:3]
    .if \quads == 2
    st1w {z20.s-z23.s}, pn10, [x6, #4, mul vl]
    .else
    st1w {z20.s-z23.s}, pn9, [x6, #4, mul vl]
    mova {z24.s-z27.s}, za0v.s[w14, 0:3]
    .if \quads == 3
    st1w {z24.s-z27.s}, pn10, [x6, #8, mul vl]
    .else
    st1w {z24.s-z27.s}, pn9, [x6, #8, mul vl]
    mova {z28.s-z31.s}, za0v.s[w15, 0:3]
    st1w {z28.s-z31.s}, pn10, [x6, #12, mul vl]
    .endif
    .endif
    .endif
.endm

// Whole tiles, then the last rows: of these, loads that are jumped over leave what was there.
.macro tiles quads
    cbz x5, 2f
1:  ld1b {z16.b}, p1/z, [x1]
    ld1b {z17.b}, p1/z, [x1, x7]
    ld1b {z18.b}, p1/z, [x1, x8]
    ld1b {z19.b}, p1/z, [x1, x9]
    ld1b {z20.b}, p1/z, [x1, x10]
    ld1b {z21.b}, p1/z, [x1, x11]
    ld1b {z22.b}, p1/z, [x1, x16]
    ld1b {z23.b}, p1/z, [x1, x17]
    ld1b {z24.b}, p1/z, [x1, x19]
    ld1b {z25.b}, p1/z, [x1, x20]
    ld1b {z26.b}, p1/z, [x1, x21]
    ld1b {z27.b}, p1/z, [x1, x22]
    ld1b {z28.b}, p1/z, [x1, x23]
    ld1b {z29.b}, p1/z, [x1, x24]
    ld1b {z30.b}, p1/z, [x1, x25]
    ld1b {z31.b}, p1/z, [x1, x26]
    rows_to_tile
    lines_out \quads
    add x1, x1, x2, lsl #4
    add x6, x6, x0
    subs x5, x5, #1
    b.ne 1b
    cbz x4, 90f
2:  adr x5, 4f
    sub x5, x5, x4, lsl #2
    br x5
3:  ld1b {z30.b}, p1/z, [x1, x25]
    ld1b {z29.b}, p1/z, [x1, x24]
    ld1b {z28.b}, p1/z, [x1, x23]
    ld1b {z27.b}, p1/z, [x1, x22]
    ld1b {z26.b}, p1/z, [x1, x21]
    ld1b {z25.b}, p1/z, [x1, x20]
    ld1b {z24.b}, p1/z, [x1, x19]
    ld1b {z23.b}, p1/z, [x1, x17]
    ld1b {z22.b}, p1/z, [x1, x16]
    ld1b {z21.b}, p1/z, [x1, x11]
    ld1b {z20.b}, p1/z, [x1, x10]
    ld1b {z19.b}, p1/z, [x1, x9]
    ld1b {z18.b}, p1/z, [x1, x8]
    ld1b {z17.b}, p1/z, [x1, x7]
    ld1b {z16.b}, p1/z, [x1]
4:  rows_to_tile
    lines_out \quads
    b 90f
.endm

function_begin sl_pack_rows_16_sme2_asm
    stp x19, x20, [sp, #-64]!
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    ldp x1, x2, [x0]            // the first row, bytes from row to row
    ldp x3, x4, [x0, #16]       // bytes of each, rows
    ldr x6, [x0, #32]           // out
    whilelt p1.b, xzr, x3
    ptrue pn9.s
    mov w12, wzr
    mov w13, #4
    mov w14, #8
    mov w15, #12
    add x3, x3, #3
    lsr x3, x3, #2              // words
    lsl x0, x3, #6              // bytes of a tile
    sub x3, x3, #1
    and x5, x3, #3
    add x5, x5, #1
    lsl x5, x5, #4
    whilelt pn10.s, xzr, x5, vlx4
    distances_of_16
    lsr x5, x4, #4
    and x4, x4, #15
    cbnz x5, 10f
    zero {za0.s}
    mova {z16.s-z19.s}, za0h.s[w12, 0:3]
    mova {z20.s-z23.s}, za0h.s[w12, 0:3]
    mova {z24.s-z27.s}, za0h.s[w12, 0:3]
    mova {z28.s-z31.s}, za0h.s[w12, 0:3]
10: cmp x3, #8
    b.hs 20f
    cmp x3, #4
    b.hs 15f
    tiles 1
15: tiles 2
20: cmp x3, #12
    b.hs 25f
    tiles 3
25: tiles 4
90: ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x19, x20, [sp], #64
    ret
function_end sl_pack_rows_16_sme2_asm

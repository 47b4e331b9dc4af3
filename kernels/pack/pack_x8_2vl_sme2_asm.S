/* kernels/pack/pack_x8_2vl_sme2_asm.S: 2VL rows of bytes, found through a table of pointers, into one
 * panel of words [k / 4][2VL], through ZA; the last word of a row is filled up with zeros.
 *
 * sl_pack_x8_2vl_sme2_asm(const struct sl_pack_x8_pair *job), in streaming mode with ZA on. What it
 * computes is stated by sl_pack_x8_2vl_scalar() in pack_x8.c. z8-z15 are not touched.
 *
 * Tiles: za0 za1 over za2 za3, rows in as horizontal slices, columns out as vertical ones. */
#include "kernels/cpu/asm.h"

// VL rows from the table at x20 into two tiles.
.macro rows_in t0, t1
    mov w12, wzr
1:  ldp x13, x14, [x20], #16
    ldp x16, x17, [x20], #16
    ld1b {z16.b, z24.b}, pn8/z, [x13, x10]
    ld1b {z17.b, z25.b}, pn8/z, [x14, x10]
    ld1b {z18.b, z26.b}, pn8/z, [x16, x10]
    ld1b {z19.b, z27.b}, pn8/z, [x17, x10]
    mova \t0\()h.s[w12, 0:3], {z16.s-z19.s}
    mova \t1\()h.s[w12, 0:3], {z24.s-z27.s}
    add w12, w12, #4
    cmp w12, w7
    b.lo 1b
.endm

// w21 steps of two tiles, one over the other; \t0 gives columns of the left half, \t1 of the right.
.macro columns_out t0, t1
    mov w12, wzr
1:  mova {z16.s-z19.s}, \t0\()v.s[w12, 0:3]
    mova {z24.s-z27.s}, \t1\()v.s[w12, 0:3]
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

function_begin sl_pack_x8_2vl_sme2_asm
    stp x20, x21, [sp, #-16]!
    ldp x1, x2, [x0]            // row pointers, k
    ldp x3, x4, [x0, #16]       // out, bytes from step to step
    lsr x4, x4, #2              // words
    cntw x7
    ptrue pn9.s
    lsl x8, x4, #1
    add x9, x8, x4
    mov x10, xzr
    add x6, x2, #3
    lsr x6, x6, #2              // steps left
10: whilelt pn8.b, x10, x2, vlx2
    mov x20, x1
    rows_in za0, za1
    rows_in za2, za3
    cmp x6, x7
    csel x21, x6, x7, lo
    columns_out za0, za2
    subs x6, x6, x21
    b.eq 20f
    cmp x6, x7
    csel x21, x6, x7, lo
    columns_out za1, za3
    addvl x10, x10, #2
    subs x6, x6, x21
    b.ne 10b
20: ldp x20, x21, [sp], #16
    ret
function_end sl_pack_x8_2vl_sme2_asm

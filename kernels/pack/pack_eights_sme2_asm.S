/* kernels/pack/pack_eights_sme2_asm.S: eight rows of bytes, of weights [n][k] of any type, into a panel of eight
 * columns of words, for vectors of four words: ZIP of four vectors turns four rows by four words. Where a
 * row is no whole number of words its last is filled up with zeros.
 *
 * sl_pack_eights_sme2_asm(const struct sl_pack_eights *job), in streaming mode. What it computes is stated by
 * sl_pack_f32_1vl_scalar(), two tiles side by side. */
#include "kernels/cpu/asm.h"

// Eight words of each row: z0-z3 and z8-z11 of the upper four, z4-z7 and z12-z15 of the lower.
.macro rows_in by
    ld1b {z0.b, z8.b}, \by/z, [x0, x8]
    ld1b {z1.b, z9.b}, \by/z, [x1, x8]
    ld1b {z2.b, z10.b}, \by/z, [x2, x8]
    ld1b {z3.b, z11.b}, \by/z, [x3, x8]
    ld1b {z4.b, z12.b}, \by/z, [x4, x8]
    ld1b {z5.b, z13.b}, \by/z, [x5, x8]
    ld1b {z6.b, z14.b}, \by/z, [x6, x8]
    ld1b {z7.b, z15.b}, \by/z, [x7, x8]
    zip {z16.s-z19.s}, {z0.s-z3.s}
    zip {z24.s-z27.s}, {z4.s-z7.s}
    zip {z20.s-z23.s}, {z8.s-z11.s}
    zip {z28.s-z31.s}, {z12.s-z15.s}
.endm

// One more line, unless it was the last.
.macro last_line left, right, at
    st1w {\left\().s, \right\().s}, pn9, [x9, #\at, mul vl]
    subs x10, x10, #1
    b.eq 3f
.endm

function_begin sl_pack_eights_sme2_asm
    stp d8, d9, [sp, #-64]!
    stp d10, d11, [sp, #16]
    stp d12, d13, [sp, #32]
    stp d14, d15, [sp, #48]
    ldp x10, x11, [x0, #8]      // bytes from row to row, bytes of a row
    ldr x9, [x0, #24]           // out
    ldr x0, [x0]
    add x1, x0, x10
    add x2, x1, x10
    add x3, x2, x10
    add x4, x3, x10
    add x5, x4, x10
    add x6, x5, x10
    add x7, x6, x10
    mov x8, xzr
    ptrue pn9.b
    lsr x10, x11, #5
    cbz x10, 2f
1:  rows_in pn9
    st1w {z16.s, z24.s}, pn9, [x9]
    st1w {z17.s, z25.s}, pn9, [x9, #2, mul vl]
    st1w {z18.s, z26.s}, pn9, [x9, #4, mul vl]
    st1w {z19.s, z27.s}, pn9, [x9, #6, mul vl]
    st1w {z20.s, z28.s}, pn9, [x9, #8, mul vl]
    st1w {z21.s, z29.s}, pn9, [x9, #10, mul vl]
    st1w {z22.s, z30.s}, pn9, [x9, #12, mul vl]
    st1w {z23.s, z31.s}, pn9, [x9, #14, mul vl]
    add x8, x8, #32
    add x9, x9, #256
    subs x10, x10, #1
    b.ne 1b
2:  subs x10, x11, x8
    b.eq 3f
    whilelt pn8.b, x8, x11, vlx2
    rows_in pn8
    add x10, x10, #3
    lsr x10, x10, #2            // words
    last_line z16, z24, 0
    last_line z17, z25, 2
    last_line z18, z26, 4
    last_line z19, z27, 6
    last_line z20, z28, 8
    last_line z21, z29, 10
    last_line z22, z30, 12
    st1w {z23.s, z31.s}, pn9, [x9, #14, mul vl]
3:  ldp d10, d11, [sp, #16]
    ldp d12, d13, [sp, #32]
    ldp d14, d15, [sp, #48]
    ldp d8, d9, [sp], #64
    ret
function_end sl_pack_eights_sme2_asm

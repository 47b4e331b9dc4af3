/* kernels/matmul/qd8_lines_sme2_asm.S: rows of int8 to lines of words through ZA.
 *
 * sl_qd8_pack_words_sme2(const struct sl_qd8_lines *, size_t words, int32_t *out_sums), in streaming mode with ZA
 * on: qd8_lines.h. Word w of row r goes to lane r of line w. z8-z15 are not touched. */
#include "kernels/cpu/asm.h"

.macro row_pointers
    ldp x13, x14, [x4], #16
    ldp x15, x16, [x4], #16
.endm

.macro next_rows back
    add w12, w12, #4
    cmp w12, w7
    b.lo \back
.endm

// Bytes x10 on of all rows, up to x11, into 4, 2 or 1 tiles.
.macro rows_in_4
    whilelt pn8.b, x10, x11, vlx4
1:  row_pointers
    ld1b {z16.b, z20.b, z24.b, z28.b}, pn8/z, [x13, x10]
    ld1b {z17.b, z21.b, z25.b, z29.b}, pn8/z, [x14, x10]
    ld1b {z18.b, z22.b, z26.b, z30.b}, pn8/z, [x15, x10]
    ld1b {z19.b, z23.b, z27.b, z31.b}, pn8/z, [x16, x10]
    mova za0h.s[w12, 0:3], {z16.s-z19.s}
    mova za1h.s[w12, 0:3], {z20.s-z23.s}
    mova za2h.s[w12, 0:3], {z24.s-z27.s}
    mova za3h.s[w12, 0:3], {z28.s-z31.s}
    next_rows 1b
.endm

.macro rows_in_2
    whilelt pn8.b, x10, x11, vlx2
1:  row_pointers
    ld1b {z16.b, z24.b}, pn8/z, [x13, x10]
    ld1b {z17.b, z25.b}, pn8/z, [x14, x10]
    ld1b {z18.b, z26.b}, pn8/z, [x15, x10]
    ld1b {z19.b, z27.b}, pn8/z, [x16, x10]
    mova za0h.s[w12, 0:3], {z16.s-z19.s}
    mova za1h.s[w12, 0:3], {z24.s-z27.s}
    next_rows 1b
.endm

.macro rows_in_1
    whilelt p1.b, x10, x11
1:  row_pointers
    ld1b {z16.b}, p1/z, [x13, x10]
    ld1b {z17.b}, p1/z, [x14, x10]
    ld1b {z18.b}, p1/z, [x15, x10]
    ld1b {z19.b}, p1/z, [x16, x10]
    mova za0h.s[w12, 0:3], {z16.s-z19.s}
    next_rows 1b
.endm

// Up to VL words of a tile to lines; x2 words are left then.
.macro lines_out tile
    cmp x2, x7
    csel x14, x2, x7, lo
    mov w12, wzr
    ands x13, x14, #-4
    b.eq 2f
1:  mova {z16.s-z19.s}, \tile\()v.s[w12, 0:3]
    add w12, w12, #4
    st1w {z16.s}, p0, [x6]
    sdot z0.s, z16.b, z1.b
    st1w {z17.s}, p0, [x6, x8, lsl #2]
    sdot z2.s, z17.b, z1.b
    st1w {z18.s}, p0, [x6, x9, lsl #2]
    sdot z3.s, z18.b, z1.b
    st1w {z19.s}, p0, [x6, x17, lsl #2]
    sdot z4.s, z19.b, z1.b
    add x6, x6, x0
    cmp w12, w13
    b.lo 1b
2:  ands x13, x14, #3
    b.eq 3f
    mova {z16.s-z19.s}, \tile\()v.s[w12, 0:3]
    st1w {z16.s}, p0, [x6]
    sdot z0.s, z16.b, z1.b
    cmp x13, #2
    b.lo 3f
    st1w {z17.s}, p0, [x6, x8, lsl #2]
    sdot z2.s, z17.b, z1.b
    b.eq 3f
    st1w {z18.s}, p0, [x6, x9, lsl #2]
    sdot z3.s, z18.b, z1.b
3:  subs x2, x2, x14
    b.eq 90f
.endm

function_begin sl_qd8_pack_words_sme2
    mov x5, x2                  // sums
    mov x2, x1                  // words
    ldp x1, x10, [x0]           // row pointers, first byte
    ldp x11, x6, [x0, #16]      // end of a row, out
    ldr x3, [x0, #32]           // bytes from line to line
    lsr x8, x3, #2
    lsl x9, x8, #1
    add x17, x8, x9
    lsl x0, x3, #2
    cntw x7
    ptrue p0.b
    mov z1.b, #1
    mov z0.s, #0
    mov z2.s, #0
    mov z3.s, #0
    mov z4.s, #0
10: mov x4, x1
    mov w12, wzr
    cmp x2, x7
    b.ls 30f
    cmp x2, x7, lsl #1
    b.ls 20f
    rows_in_4
    lines_out za0
    lines_out za1
    lines_out za2
    lines_out za3
    addvl x10, x10, #4
    b 10b
20: rows_in_2
    lines_out za0
    lines_out za1
30: rows_in_1
    lines_out za0
90: add z0.s, z0.s, z2.s
    add z3.s, z3.s, z4.s
    add z0.s, z0.s, z3.s
    st1w {z0.s}, p0, [x5]
    ret
function_end sl_qd8_pack_words_sme2

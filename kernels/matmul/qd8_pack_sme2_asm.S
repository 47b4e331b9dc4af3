/* kernels/matmul/qd8_pack_sme2_asm.S: rows of float or half to int8 with parameters of their own, in panels for
 * outer products, through ZA: rows go in as horizontal slices, columns come out as vertical ones.
 *
 * sl_qd8_pack_sme2_asm(const struct sl_qd8_pack *), in streaming mode with ZA on. Panels: qd8_mopa.h; what is
 * computed: sl_quantise_row_scalar(). A lane is a row, so extremes, parameters and rounding need nothing
 * across lanes; four columns, narrowed and interleaved, are a word of each row. Rows of up to 4 VL elements
 * are read once, longer ones twice. Of z8-z15 it keeps what the ABI asks for. */
#include "kernels/cpu/asm.h"

.macro next_rows back
    add w12, w12, #4
    cmp w12, w7
    b.lo \back
.endm

// Four vectors of one row, to z\a, z\b, z\c, z\d.
.macro row_in row, a, b, c, d, half
    .if \half
    ld1h {z0.h-z1.h}, pn8/z, [\row, x10, lsl #1]
    uunpk {z4.s-z7.s}, {z0.h-z1.h}
    fcvt z\a\().s, p0/m, z4.h
    fcvt z\b\().s, p0/m, z5.h
    fcvt z\c\().s, p0/m, z6.h
    fcvt z\d\().s, p0/m, z7.h
    .else
    ld1w {z\a\().s, z\b\().s, z\c\().s, z\d\().s}, pn8/z, [\row, x10, lsl #2]
    .endif
.endm

.macro all_rows_in half
1:  ldp x13, x14, [x20], #16
    ldp x16, x17, [x20], #16
    row_in x13, 16, 20, 24, 28, \half
    row_in x14, 17, 21, 25, 29, \half
    row_in x16, 18, 22, 26, 30, \half
    row_in x17, 19, 23, 27, 31, \half
    mova za0h.s[w12, 0:3], {z16.s-z19.s}
    mova za1h.s[w12, 0:3], {z20.s-z23.s}
    mova za2h.s[w12, 0:3], {z24.s-z27.s}
    mova za3h.s[w12, 0:3], {z28.s-z31.s}
    next_rows 1b
.endm

// One vector of one row, by p1.
.macro short_row_in row, a, half
    .if \half
    ld1h {z\a\().s}, p1/z, [\row, x10, lsl #1]
    fcvt z\a\().s, p0/m, z\a\().h
    .else
    ld1w {z\a\().s}, p1/z, [\row, x10, lsl #2]
    .endif
.endm

.macro short_rows_in half
1:  ldp x13, x14, [x20], #16
    ldp x16, x17, [x20], #16
    short_row_in x13, 16, \half
    short_row_in x14, 17, \half
    short_row_in x16, 18, \half
    short_row_in x17, 19, \half
    mova za0h.s[w12, 0:3], {z16.s-z19.s}
    next_rows 1b
.endm

// Columns x10 to x10 + 4 VL of the tile's rows into the four tiles; lanes past x2 become 0. x19: how many.
.macro rows_in
    mov w12, wzr
    mov x20, x1
    sub x19, x2, x10
    cmp x19, x7
    b.ls 4f
    cbnz w8, 2f
    whilelt pn8.s, x10, x2, vlx4
    all_rows_in 0
    b 3f
2:  whilelt pn8.h, x10, x2, vlx2
    all_rows_in 1
    b 3f
4:  whilelt p1.s, x10, x2       // all in the first tile
    cbnz w8, 5f
    short_rows_in 0
    b 3f
5:  short_rows_in 1
3:
.endm

.macro extremes a, b
    fmin {z8.s-z11.s}, {z8.s-z11.s}, {z\a\().s-z\b\().s}
    fmax {z12.s-z15.s}, {z12.s-z15.s}, {z\a\().s-z\b\().s}
.endm

// Takes the extremes of the x19 columns in ZA; the rest up to the next whole tile is 0.
.macro extremes_of tile
    mov w12, wzr
    cmp x19, x7
    csel x22, x19, x7, lo
1:  mova {z16.s-z19.s}, \tile\()v.s[w12, 0:3]
    add w12, w12, #4
    extremes 16, 19
    cmp w12, w22
    b.lo 1b
    subs x19, x19, x7
    b.ls 9f
.endm

.macro extremes_of_all
    mov w12, wzr
    cmp x19, x21
    b.lo 5f
4:  mova {z16.s-z19.s}, za0v.s[w12, 0:3]
    mova {z20.s-z23.s}, za1v.s[w12, 0:3]
    mova {z24.s-z27.s}, za2v.s[w12, 0:3]
    mova {z28.s-z31.s}, za3v.s[w12, 0:3]
    extremes 16, 19
    extremes 20, 23
    extremes 24, 27
    extremes 28, 31
    next_rows 4b
    b 9f
5:  extremes_of za0
    extremes_of za1
    extremes_of za2
    extremes_of za3
9:
.endm

// Parameters of VL rows from z8-z11, z12-z15 to the head of the panel; z8: multipliers, z9 and z12 to z15: zero points.
.macro parameters
    fmin {z8.s-z9.s}, {z8.s-z9.s}, {z10.s-z11.s}
    fmax {z12.s-z13.s}, {z12.s-z13.s}, {z14.s-z15.s}
    fmin z8.s, p0/m, z8.s, z9.s
    fmax z12.s, p0/m, z12.s, z13.s
    mov w13, #0x437f0000        // 255
    mov w14, #0x43000000        // 128
    mov w16, #0x42fe0000        // 127
    mov z1.s, w13
    mov z6.s, w14
    mov z7.s, w16
    fsub z0.s, z12.s, z8.s
    fmov z2.s, #1.0
    fcmeq p1.s, p0/z, z12.s, z8.s
    fdiv z1.s, p0/m, z1.s, z0.s
    sel z1.s, p1, z2.s, z1.s
    fmul z3.s, z8.s, z1.s
    fmul z4.s, z12.s, z1.s
    fsub z5.s, z3.s, z6.s
    fadd z0.s, z4.s, z7.s
    fadd z5.s, z5.s, z0.s
    fcmgt p2.s, p0/z, z5.s, #0.0
    fadd z3.s, z3.s, z6.s
    fsub z4.s, z7.s, z4.s
    fneg z3.s, p0/m, z3.s
    fneg z6.s, p0/m, z6.s
    sel z3.s, p2, z3.s, z4.s
    fmax z3.s, p0/m, z3.s, z6.s
    fmin z3.s, p0/m, z3.s, z7.s
    frintn z3.s, p0/m, z3.s
    fcvtzs z9.s, p0/m, z3.s
    fdiv z2.s, p0/m, z2.s, z1.s
    mov z8.d, z1.d
    mov z12.d, z9.d
    mov z13.d, z9.d
    mov z14.d, z9.d
    mov z15.d, z9.d
    mov z4.d, z9.d
    and z4.s, z4.s, #0xffff
    lsl z5.s, z9.s, #24
    orr z3.d, z4.d, z5.d
    mov z4.s, #0
    sub z4.s, z4.s, z9.s
    scvtf z4.s, p0/m, z4.s
    st1w {z2.s}, p0, [x6]
    st1w {z3.s}, p0, [x6, #1, mul vl]
    st1w {z4.s}, p0, [x6, #2, mul vl]
    addvl x6, x6, #3
.endm

// Four columns of the tile, z\a to z\d, to the words in z\a.
.macro words a, b, c, d, tile
    mova {z\a\().s-z\d\().s}, \tile\()v.s[w12, 0:3]
    fmul z\a\().s, z\a\().s, z8.s
    fmul z\b\().s, z\b\().s, z8.s
    fmul z\c\().s, z\c\().s, z8.s
    fmul z\d\().s, z\d\().s, z8.s
    frintn {z\a\().s-z\d\().s}, {z\a\().s-z\d\().s}
    fcvtzs {z\a\().s-z\d\().s}, {z\a\().s-z\d\().s}
    add {z\a\().s-z\d\().s}, {z\a\().s-z\d\().s}, z9.s
    sqcvtn z\a\().b, {z\a\().s-z\d\().s}
.endm

// At most VL of the x19 columns, whole words of them.
.macro words_of tile
    mov w12, wzr
    cmp x19, x7
    csel x22, x19, x7, lo
1:  words 16, 17, 18, 19, \tile
    add w12, w12, #4
    st1w {z16.s}, p0, [x6]
    cmp w12, w22
    addvl x6, x6, #1
    b.lo 1b
    subs x19, x19, x7
    b.ls 9f
.endm

// Slices of a tile of 16, \by columns or rows.
.macro slices_of_16 tile, by
    mova {z16.s-z19.s}, \tile\by\().s[w12, 0:3]
    mova {z20.s-z23.s}, \tile\by\().s[w13, 0:3]
    mova {z24.s-z27.s}, \tile\by\().s[w14, 0:3]
    mova {z28.s-z31.s}, \tile\by\().s[w15, 0:3]
.endm

.macro multiply_group first, last, index, at
    fmla za.s[\index, \at, vgx4], {z\first\().s-z\last\().s}, z8.s
.endm

.macro add_zeros_to_group first, last, index, at
    frintn {z\first\().s-z\last\().s}, {z\first\().s-z\last\().s}
    fcvtzs {z\first\().s-z\last\().s}, {z\first\().s-z\last\().s}
    mova za.d[\index, \at, vgx4], {z\first\().d-z\last\().d}
    add za.s[\index, \at, vgx4], {z12.s-z15.s}
.endm

// The 16 columns of tile \number to four vectors of words, by way of ZA, where multiplying four vectors takes a
// unit less time than one of each in registers. Vectors of a group lie 16 apart, which the second pass undoes.
.macro words_of_16 number
    slices_of_16 za\number, v
    zero {za\number\().s}
    multiply_group 16, 19, w9, \number
    multiply_group 20, 23, w9, \number + 4
    multiply_group 24, 27, w11, \number
    multiply_group 28, 31, w11, \number + 4
    slices_of_16 za\number, h
    add_zeros_to_group 16, 19, w9, \number
    add_zeros_to_group 20, 23, w9, \number + 4
    add_zeros_to_group 24, 27, w11, \number
    add_zeros_to_group 28, 31, w11, \number + 4
    slices_of_16 za\number, h
    sqcvtn z16.b, {z16.s-z19.s}
    sqcvtn z20.b, {z20.s-z23.s}
    sqcvtn z24.b, {z24.s-z27.s}
    sqcvtn z28.b, {z28.s-z31.s}
    st1w {z16.s, z20.s, z24.s, z28.s}, pn9, [x6]
    addvl x6, x6, #4
.endm

.macro words_of_all
    mov w12, wzr
    cmp x19, x21
    b.lo 5f
    tbz x7, #4, 4f
    mov w9, wzr
    mov w11, #8
    mov w13, #4
    mov w14, #8
    mov w15, #12
    words_of_16 0
    words_of_16 1
    words_of_16 2
    words_of_16 3
    b 9f
4:  words 16, 17, 18, 19, za0
    words 20, 21, 22, 23, za1
    words 24, 25, 26, 27, za2
    words 28, 29, 30, 31, za3
    st1w {z16.s}, p0, [x6]
    st1w {z20.s}, p0, [x6, x23, lsl #2]
    st1w {z24.s}, p0, [x6, x24, lsl #2]
    st1w {z28.s}, p0, [x6, x25, lsl #2]
    addvl x6, x6, #1
    next_rows 4b
    add x6, x6, x25, lsl #2
    b 9f
5:  words_of za0
    words_of za1
    words_of za2
    words_of za3
9:
.endm

function_begin sl_qd8_pack_sme2_asm
    stp d8, d9, [sp, #-128]!
    stp d10, d11, [sp, #16]
    stp d12, d13, [sp, #32]
    stp d14, d15, [sp, #48]
    stp x19, x20, [sp, #64]
    stp x21, x22, [sp, #80]
    stp x23, x24, [sp, #96]
    str x25, [sp, #112]
    ldp x1, x2, [x0]            // row pointers, k
    ldp x3, x6, [x0, #16]       // tiles, out
    ldr w8, [x0, #32]           // half?
    ptrue p0.s
    ptrue pn9.s
    cntw x7
    lsl x21, x7, #2
    mul x23, x7, x7
    lsr x23, x23, #2            // elements of the words of one tile
    lsl x24, x23, #1
    add x25, x23, x24
10: // a tile of VL rows
    mov x10, xzr
    mov z8.s, #0
    mov z9.s, #0
    mov z10.s, #0
    mov z11.s, #0
    mov z12.s, #0
    mov z13.s, #0
    mov z14.s, #0
    mov z15.s, #0
20: rows_in
    extremes_of_all
    add x10, x10, x21
    cmp x10, x2
    b.lo 20b
    parameters
    mov x10, xzr
    sub x19, x2, x10
    cmp x2, x21
    b.ls 40f                    // the rows are still there
30: rows_in
40: words_of_all
    add x10, x10, x21
    cmp x10, x2
    b.lo 30b
    add x1, x1, x7, lsl #3
    subs x3, x3, #1
    b.ne 10b
    ldp d10, d11, [sp, #16]
    ldp d12, d13, [sp, #32]
    ldp d14, d15, [sp, #48]
    ldp x19, x20, [sp, #64]
    ldp x21, x22, [sp, #80]
    ldp x23, x24, [sp, #96]
    ldr x25, [sp, #112]
    ldp d8, d9, [sp], #128
    ret
function_end sl_qd8_pack_sme2_asm

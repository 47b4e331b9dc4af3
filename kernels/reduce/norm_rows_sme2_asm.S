/* kernels/reduce/norm_rows_sme2_asm.S: layer norm of rows that stay in registers: one to four turns of
 * four vectors. The readable form is that of reduce_scalar.c.
 *
 * sl_layer_norm_<vectors>vl_sme2_asm(const struct sl_reduce_args *), in streaming mode with ZA on, for rows
 * of up to 8 vectors: weights and biases of all rows are registers as well, and p1 the last vector's lanes.
 * sl_layer_norm_<turns>_sme2_asm likewise for rows of more turns than one less: weights and biases are
 * loaded, must be there, sums are those of a ZA group, and p1-p4 the lanes of the last turn. Beyond a
 * row, where pn9 ends, x is 0. */
#include "kernels/cpu/asm.h"

// x4 rows of x1 elements, in x2, out x3, weight x11, bias x12, mean x13, 1 / deviation x14.
.macro begin turns, count, eps, one
    ldp x4, x1, [x0]
    ldp x2, x3, [x0, #24]
    ldr s\eps, [x0, #44]
    ldp x11, x12, [x0, #48]
    ldp x13, x14, [x0, #64]
    ptrue p0.s
    ptrue pn8.s
    fmov s\one, #1.0
    ucvtf s\count, x1
    mov w8, wzr
    cntw x6, all, mul #4
    mov x7, #\turns - 1
    mul x7, x7, x6
    whilelt pn9.s, x7, x1, vlx4
    pext {p1.s, p2.s}, pn9[0]
    pext {p3.s, p4.s}, pn9[1]
.endm

.macro end_row
    add x2, x2, x1, lsl #2
    add x3, x3, x1, lsl #2
    subs x4, x4, #1
    b.ne 1b
    ret
.endm

// s\mean is the sum.
.macro finish_mean mean, count
    fdiv s\mean, s\mean, s\count
    cbz x13, 2f
    str s\mean, [x13], #4
2:  mov z\mean\().s, s\mean
.endm

// s\scale is the sum of squares; then 1 / deviation.
.macro finish_scale scale, count, eps, one
    fdiv s\scale, s\scale, s\count
    fadd s\scale, s\scale, s\eps
    fsqrt s\scale, s\scale
    fdiv s\scale, s\one, s\scale
    cbz x14, 3f
    str s\scale, [x14], #4
3:  mov z\scale\().s, s\scale
.endm

.macro subtract mean, first, second, third, fourth
    fsub z\first\().s, z\first\().s, z\mean\().s
    fsub z\second\().s, z\second\().s, z\mean\().s
    fsub z\third\().s, z\third\().s, z\mean\().s
    fsub z\fourth\().s, z\fourth\().s, z\mean\().s
.endm

// The same of the last turn.
.macro subtract_last mean, first, second, third, fourth
    fsub z\first\().s, p1/m, z\first\().s, z\mean\().s
    fsub z\second\().s, p2/m, z\second\().s, z\mean\().s
    fsub z\third\().s, p3/m, z\third\().s, z\mean\().s
    fsub z\fourth\().s, p4/m, z\fourth\().s, z\mean\().s
.endm

.macro multiply by, first, second, third, fourth
    fmul z\first\().s, z\first\().s, z\by\().s
    fmul z\second\().s, z\second\().s, z\by\().s
    fmul z\third\().s, z\third\().s, z\by\().s
    fmul z\fourth\().s, z\fourth\().s, z\by\().s
.endm

.macro add_square x
    fmla z10.s, p0/m, z\x\().s, z\x\().s
.endm

.macro weigh x, weight, bias
    fmad z\x\().s, p0/m, z\weight\().s, z\bias\().s
.endm

// z16 on or z24 on: what [\from] has for every row, or \value.
.macro parameters turns, from, value, r0, r1, r2, r3, r4, r5, r6, r7
    cbz \from, 4f
    .if \turns == 1
    ld1w {z\r0\().s-z\r3\().s}, pn9/z, [\from]
    .else
    ld1w {z\r0\().s-z\r3\().s}, pn8/z, [\from]
    ld1w {z\r4\().s-z\r7\().s}, pn9/z, [\from, #4, mul vl]
    .endif
    b 5f
4:  fmov z\r0\().s, \value
    fmov z\r1\().s, \value
    fmov z\r2\().s, \value
    fmov z\r3\().s, \value
    .if \turns == 2
    fmov z\r4\().s, \value
    fmov z\r5\().s, \value
    fmov z\r6\().s, \value
    fmov z\r7\().s, \value
    .endif
5:
.endm

.macro add_if_held to, r, vectors
    .if \r < \vectors
    fadd \to\().s, \to\().s, z\r\().s
    .endif
.endm

// z10 = the sum of z0 and on.
.macro sum_of vectors
    .if \vectors == 1
    mov z10.d, z0.d
    .else
    fadd z10.s, z0.s, z1.s
    .endif
    .if \vectors == 3
    fadd z10.s, z10.s, z2.s
    .elseif \vectors > 3
    fadd z11.s, z2.s, z3.s
    add_if_held z10, 4, \vectors
    add_if_held z11, 5, \vectors
    add_if_held z10, 6, \vectors
    add_if_held z11, 7, \vectors
    fadd z10.s, z10.s, z11.s
    .endif
.endm

.macro distance r, vectors
    .if \r < \vectors - 1
    fsub z\r\().s, z\r\().s, z8.s
    .elseif \r == \vectors - 1
    fsub z\r\().s, p1/m, z\r\().s, z8.s
    .endif
.endm

.macro square r, vectors
    .if \r < \vectors
    add_square \r
    .endif
.endm

.macro result r, weight, bias, vectors
    .if \r < \vectors
    fmul z\r\().s, z\r\().s, z9.s
    weigh \r, \weight, \bias
    .endif
.endm

.macro held vectors, turns
    begin \turns, 12, 13, 14
    cntw x7, all, mul #\vectors
    cntw x5
    sub x7, x7, x5
    whilelt p1.s, x7, x1
    parameters \turns, x11, #1.0, 16, 17, 18, 19, 20, 21, 22, 23
    parameters \turns, x12, #0.0, 24, 25, 26, 27, 28, 29, 30, 31
1:
    .if \turns == 1
    ld1w {z0.s-z3.s}, pn9/z, [x2]
    .else
    ld1w {z0.s-z3.s}, pn8/z, [x2]
    ld1w {z4.s-z7.s}, pn9/z, [x2, #4, mul vl]
    .endif
    sum_of \vectors
    faddv s8, p0, z10.s
    finish_mean 8, 12
    .irp r, 0, 1, 2, 3, 4, 5, 6, 7
    distance \r, \vectors
    .endr
    fmul z10.s, z0.s, z0.s
    .irp r, 1, 2, 3, 4, 5, 6, 7
    square \r, \vectors
    .endr
    faddv s9, p0, z10.s
    finish_scale 9, 12, 13, 14
    result 0, 16, 24, \vectors
    result 1, 17, 25, \vectors
    result 2, 18, 26, \vectors
    result 3, 19, 27, \vectors
    result 4, 20, 28, \vectors
    result 5, 21, 29, \vectors
    result 6, 22, 30, \vectors
    result 7, 23, 31, \vectors
    .if \turns == 1
    st1w {z0.s-z3.s}, pn9, [x3]
    .else
    st1w {z0.s-z3.s}, pn8, [x3]
    st1w {z4.s-z7.s}, pn9, [x3, #4, mul vl]
    .endif
    end_row
.endm

.irp vectors, 1, 2, 3, 4
function_begin sl_layer_norm_\vectors\()vl_sme2_asm
    held \vectors, 1
function_end sl_layer_norm_\vectors\()vl_sme2_asm
.endr

.irp vectors, 5, 6, 7, 8
function_begin sl_layer_norm_\vectors\()vl_sme2_asm
    held \vectors, 2
function_end sl_layer_norm_\vectors\()vl_sme2_asm
.endr

// s\to = the sum of the ZA group.
.macro sum_of_group to
    mova {z16.d-z19.d}, za.d[w8, 0, vgx4]
    fadd z16.s, z16.s, z17.s
    fadd z18.s, z18.s, z19.s
    fadd z16.s, z16.s, z18.s
    faddv s\to, p0, z16.s
.endm

.macro squares_of_group first, last
    fmla za.s[w8, 0, vgx4], {z\first\().s-z\last\().s}, {z\first\().s-z\last\().s}
.endm

.macro weigh_turn some, offset, r0, r1, r2, r3
    ld1w {z16.s-z19.s}, \some/z, [x11, #\offset, mul vl]
    ld1w {z20.s-z23.s}, \some/z, [x12, #\offset, mul vl]
    multiply 25, \r0, \r1, \r2, \r3
    mova za.d[w8, 0, vgx4], {z20.d-z23.d}
    fmla za.s[w8, 0, vgx4], {z\r0\().s-z\r3\().s}, {z16.s-z19.s}
    mova {z16.d-z19.d}, za.d[w8, 0, vgx4]
    st1w {z16.s-z19.s}, \some, [x3, #\offset, mul vl]
.endm

.macro by_groups turns
    begin \turns, 28, 29, 30
1:  ld1w {z0.s-z3.s}, pn8/z, [x2]
    ld1w {z4.s-z7.s}, pn8/z, [x2, #4, mul vl]
    zero {za}
    fadd za.s[w8, 0, vgx4], {z0.s-z3.s}
    fadd za.s[w8, 0, vgx4], {z4.s-z7.s}
    .if \turns == 3
    ld1w {z8.s-z11.s}, pn9/z, [x2, #8, mul vl]
    .else
    ld1w {z8.s-z11.s}, pn8/z, [x2, #8, mul vl]
    ld1w {z12.s-z15.s}, pn9/z, [x2, #12, mul vl]
    fadd za.s[w8, 0, vgx4], {z12.s-z15.s}
    .endif
    fadd za.s[w8, 0, vgx4], {z8.s-z11.s}
    sum_of_group 24
    finish_mean 24, 28
    subtract 24, 0, 1, 2, 3
    subtract 24, 4, 5, 6, 7
    zero {za}
    squares_of_group 0, 3
    squares_of_group 4, 7
    .if \turns == 3
    subtract_last 24, 8, 9, 10, 11
    .else
    subtract 24, 8, 9, 10, 11
    subtract_last 24, 12, 13, 14, 15
    squares_of_group 12, 15
    .endif
    squares_of_group 8, 11
    sum_of_group 25
    finish_scale 25, 28, 29, 30
    weigh_turn pn8, 0, 0, 1, 2, 3
    weigh_turn pn8, 4, 4, 5, 6, 7
    .if \turns == 3
    weigh_turn pn9, 8, 8, 9, 10, 11
    .else
    weigh_turn pn8, 8, 8, 9, 10, 11
    weigh_turn pn9, 12, 12, 13, 14, 15
    .endif
    end_row
.endm

function_begin sl_layer_norm_3_sme2_asm
    by_groups 3
function_end sl_layer_norm_3_sme2_asm

function_begin sl_layer_norm_4_sme2_asm
    by_groups 4
function_end sl_layer_norm_4_sme2_asm

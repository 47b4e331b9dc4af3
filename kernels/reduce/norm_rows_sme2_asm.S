/* kernels/reduce/norm_rows_sme2_asm.S: layer norm of rows that stay in registers: one to four turns of
 * four vectors. The readable form is that of reduce_scalar.c.
 *
 * sl_layer_norm_<turns>_sme2_asm(const struct sl_reduce_args *), in streaming mode with ZA on, for rows
 * of more turns than one less. The last turn's lanes are those of pn9 and p1-p4; beyond them x is 0. Of one
 * and two turns the weights and biases of all rows are registers as well; of three and four they are
 * loaded, must be there, and sums are those of a ZA group. */
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

function_begin sl_layer_norm_1_sme2_asm
    begin 1, 12, 13, 14
    parameters 1, x11, #1.0, 16, 17, 18, 19
    parameters 1, x12, #0.0, 24, 25, 26, 27
1:  ld1w {z0.s-z3.s}, pn9/z, [x2]
    fadd z10.s, z0.s, z1.s
    fadd z11.s, z2.s, z3.s
    fadd z10.s, z10.s, z11.s
    faddv s8, p0, z10.s
    finish_mean 8, 12
    subtract_last 8, 0, 1, 2, 3
    fmul z10.s, z0.s, z0.s
    add_square 1
    add_square 2
    add_square 3
    faddv s9, p0, z10.s
    finish_scale 9, 12, 13, 14
    multiply 9, 0, 1, 2, 3
    weigh 0, 16, 24
    weigh 1, 17, 25
    weigh 2, 18, 26
    weigh 3, 19, 27
    st1w {z0.s-z3.s}, pn9, [x3]
    end_row
function_end sl_layer_norm_1_sme2_asm

function_begin sl_layer_norm_2_sme2_asm
    begin 2, 12, 13, 14
    parameters 2, x11, #1.0, 16, 17, 18, 19, 20, 21, 22, 23
    parameters 2, x12, #0.0, 24, 25, 26, 27, 28, 29, 30, 31
1:  ld1w {z0.s-z3.s}, pn8/z, [x2]
    ld1w {z4.s-z7.s}, pn9/z, [x2, #4, mul vl]
    fadd z10.s, z0.s, z1.s
    fadd z11.s, z2.s, z3.s
    fadd z15.s, z4.s, z5.s
    fadd z9.s, z6.s, z7.s
    fadd z10.s, z10.s, z15.s
    fadd z11.s, z11.s, z9.s
    fadd z10.s, z10.s, z11.s
    faddv s8, p0, z10.s
    finish_mean 8, 12
    subtract 8, 0, 1, 2, 3
    subtract_last 8, 4, 5, 6, 7
    fmul z10.s, z0.s, z0.s
    .irp r, 1, 2, 3, 4, 5, 6, 7
    add_square \r
    .endr
    faddv s9, p0, z10.s
    finish_scale 9, 12, 13, 14
    multiply 9, 0, 1, 2, 3
    multiply 9, 4, 5, 6, 7
    weigh 0, 16, 24
    weigh 1, 17, 25
    weigh 2, 18, 26
    weigh 3, 19, 27
    weigh 4, 20, 28
    weigh 5, 21, 29
    weigh 6, 22, 30
    weigh 7, 23, 31
    st1w {z0.s-z3.s}, pn8, [x3]
    st1w {z4.s-z7.s}, pn9, [x3, #4, mul vl]
    end_row
function_end sl_layer_norm_2_sme2_asm

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

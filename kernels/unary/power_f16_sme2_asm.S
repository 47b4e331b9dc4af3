/* kernels/unary/power_f16_sme2_asm.S: e^x and 1 / (1 + e^-x) of halves, four vectors a turn, computed in f32
 * and rounded once.
 *
 * sl_exp_f16_sme2_asm and sl_sigmoid_f16_sme2_asm(const struct sl_elementary *), in streaming mode with ZA
 * on. x log2 e is a sum of two products of halves that FMLAL widens, even elements into one group of ZA
 * and odd ones into the next; less its whole part n it is f, of which 2^f is a polynomial of degree 4
 * (relative error 2.6e-6), and n is added to the exponent. The table: 2^f's five coefficients, the
 * second less 1; the factor of x as two halves; lower and upper bound of x. z8 and z15 coefficients, z11
 * z12 factor, z9 z10 bounds, z13 23, z28-z31 ones. */
#include "kernels/cpu/asm.h"

#define GROUP(i) za.s[w8, i, vgx4]
#define GROUP_D(i) za.d[w8, i, vgx4]
#define ONES {z28.s-z31.s}

.macro half_of vector, at
    ldr s0, [x4, #\at]
    fcvt h0, s0
    mov \vector\().h, h0
.endm

.macro begin
    ldp x1, x2, [x0]            // elements, in
    ldp x3, x4, [x0, #16]       // out, table
    ptrue p0.s
    ptrue pn8.h
    ld1rqw {z8.s}, p0/z, [x4]
    ld1rw {z15.s}, p0/z, [x4, #16]
    half_of z11, 20
    half_of z12, 24
    half_of z9, 28
    half_of z10, 32
    mov z13.s, #23
    fmov z28.s, #1.0
    fmov z29.s, #1.0
    fmov z30.s, #1.0
    fmov z31.s, #1.0
    mov w8, wzr
    mov x5, xzr
    cnth x6, all, mul #4
.endm

// GROUP(\group) = 2^(f + n), where it is f and \f a copy; \n holds n, \s and \q are free.
.macro two_to_the group, f, n, s, s_d, q, q_d
    zero {za2.s, za3.s}
    fmla GROUP(2), \f, \f
    mova \s_d, GROUP_D(2)
    fmla GROUP(3), \s, z15.s
    fmla GROUP(3), \f, z8.s[3]
    fmla GROUP(3), ONES, z8.s[2]
    mova \q_d, GROUP_D(3)
    fcvtzs \n, \n
    fmla GROUP(\group), \f, z8.s[1]
    fmla GROUP(\group), \q, \s
    fmla GROUP(\group), ONES, z8.s[0]
    srshl \n, \n, z13.s
    add GROUP(\group), \n
.endm

// Groups 0 and 1 = 2^(factor x) of the even and of the odd elements from \at on.
.macro powers some, at
    ld1h {z0.h-z3.h}, \some/z, [x2, \at, lsl #1]
    fmax {z0.h-z3.h}, {z0.h-z3.h}, z9.h
    fmin {z0.h-z3.h}, {z0.h-z3.h}, z10.h
    zero {za}
    fmlal za.s[w8, 0:1, vgx4], {z0.h-z3.h}, z11.h
    fmlal za.s[w8, 0:1, vgx4], {z0.h-z3.h}, z12.h
    mova {z0.d-z3.d}, GROUP_D(0)
    mova {z4.d-z7.d}, GROUP_D(1)
    frintn {z16.s-z19.s}, {z0.s-z3.s}
    frintn {z20.s-z23.s}, {z4.s-z7.s}
    fsub GROUP(0), {z16.s-z19.s}
    fsub GROUP(1), {z20.s-z23.s}
    mova {z0.d-z3.d}, GROUP_D(0)
    two_to_the 0, {z0.s-z3.s}, {z16.s-z19.s}, {z4.s-z7.s}, {z4.d-z7.d}, {z24.s-z27.s}, {z24.d-z27.d}
    mova {z0.d-z3.d}, GROUP_D(1)
    two_to_the 1, {z0.s-z3.s}, {z20.s-z23.s}, {z4.s-z7.s}, {z4.d-z7.d}, {z24.s-z27.s}, {z24.d-z27.d}
.endm

// Stores even elements z0-z3 and odd ones z4-z7.
.macro store_halves some, at
    fcvt z16.h, {z0.s-z1.s}
    fcvt z17.h, {z4.s-z5.s}
    fcvt z18.h, {z2.s-z3.s}
    fcvt z19.h, {z6.s-z7.s}
    zip {z20.h-z21.h}, z16.h, z17.h
    zip {z22.h-z23.h}, z18.h, z19.h
    st1h {z20.h-z23.h}, \some, [x3, \at, lsl #1]
.endm

.macro turn_of_exp some, at
    powers \some, \at
    mova {z0.d-z3.d}, GROUP_D(0)
    mova {z4.d-z7.d}, GROUP_D(1)
    store_halves \some, \at
.endm

.macro inverted x
    fdivr \x\().s, p0/m, \x\().s, z28.s
.endm

.macro turn_of_sigmoid some, at
    powers \some, \at
    fadd GROUP(0), ONES
    fadd GROUP(1), ONES
    mova {z0.d-z3.d}, GROUP_D(0)
    mova {z4.d-z7.d}, GROUP_D(1)
    inverted z0
    inverted z1
    inverted z2
    inverted z3
    inverted z4
    inverted z5
    inverted z6
    inverted z7
    store_halves \some, \at
.endm

.macro power verb
function_begin sl_\verb\()_f16_sme2_asm
    begin
    lsl x9, x6, #1
    udiv x10, x1, x9
    mul x10, x10, x9            // elements in pairs of turns
    mov x7, x6
    cbz x10, 2f
1:  turn_of_\verb pn8, x5
    turn_of_\verb pn8, x7
    add x7, x7, x9
    add x5, x5, x9
    cmp x5, x10
    b.lo 1b
2:  whilelt pn9.h, x5, x1, vlx4
    b.pl 9f
    turn_of_\verb pn9, x5
    add x5, x5, x6
    b 2b
9:  ret
function_end sl_\verb\()_f16_sme2_asm
.endm

power exp
power sigmoid

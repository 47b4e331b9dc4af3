/* kernels/unary/elementary_sme2_asm.S: e^x and what is made of it, four vectors a turn. The readable
 * form is formula.h, but for the order of the sums and for gelu, which here is max(x, 0) - |x|
 * Phi(-|x|) and at -inf therefore its limit, -0.
 *
 * sl_<verb>_sme2_asm(const struct sl_elementary *), in streaming mode with ZA on. Polynomials are
 * summed in ZA, where one FMLA serves four vectors: pairs of terms by Horner's rule in the square of
 * the argument. Groups 0 to 3 of four ZA vectors are all that 128 bits have. ZERO of a 32-bit tile
 * clears the group of its number. z8-z15 constants, z28-z31 ones. */
#include "kernels/cpu/asm.h"

#define GROUP(i) za.s[w8, i, vgx4]
#define GROUP_D(i) za.d[w8, i, vgx4]
#define X {z0.s-z3.s}
#define X_D {z0.d-z3.d}
#define N {z4.s-z7.s}
#define N_D {z4.d-z7.d}
#define T {z16.s-z19.s}
#define T_D {z16.d-z19.d}
#define R {z20.s-z23.s}
#define R_D {z20.d-z23.d}
#define S {z24.s-z27.s}
#define S_D {z24.d-z27.d}
#define ONES {z28.s-z31.s}
#define THREES_D {z28.d-z31.d} /* of hardswish, instead */

// x1 elements, x2 in, x3 out, x4 the table; z8-z10 its first twelve, z11 and z12 the next two.
.macro begin
    ldp x1, x2, [x0]
    ldp x3, x4, [x0, #16]
    ptrue p0.s
    ld1rqw {z8.s}, p0/z, [x4]
    ld1rqw {z9.s}, p0/z, [x4, #16]
    ld1rqw {z10.s}, p0/z, [x4, #32]
    ld1rw {z11.s}, p0/z, [x4, #48]
    ld1rw {z12.s}, p0/z, [x4, #52]
    fmov z28.s, #1.0
    fmov z29.s, #1.0
    fmov z30.s, #1.0
    fmov z31.s, #1.0
    mov w8, wzr
    mov x5, xzr
    cntw x6, all, mul #4
    whilelt pn8.s, x5, x1, vlx4
.endm

.macro each_turn
1:  ld1w X, pn8/z, [x2, x5, lsl #2]
.endm

.macro end_turn
    st1w X, pn8, [x3, x5, lsl #2]
    add x5, x5, x6
    whilelt pn8.s, x5, x1, vlx4
    b.mi 1b
    ret
.endm

// X within the bounds, a NaN too. N = round(X / ln 2), R = X - N ln 2. Leaves groups 2 and 3 zero.
.macro reduce
    fmax X, X, z11.s
    fmin X, X, z12.s
    zero {za}
    fmla GROUP(0), X, z8.s[0]
    mova N_D, GROUP_D(0)
    frintn N, N
    mova GROUP_D(1), X_D
    fmls GROUP(1), N, z8.s[1]
    fmls GROUP(1), N, z8.s[2]
    mova R_D, GROUP_D(1)
    fcvtzs N, N
.endm

// X = c2 + c3 R + ... + c6 R^4, S = R^2. Groups 2 and 3 are zero before; afterwards all but 0.
.macro upper_terms
    fmla GROUP(2), R, R
    mova S_D, GROUP_D(2)
    fmla GROUP(3), S, z10.s[0]
    fmla GROUP(3), R, z9.s[3]
    fmla GROUP(3), ONES, z9.s[2]
    mova X_D, GROUP_D(3)
    zero {za}
    fmla GROUP(0), X, S
    fmla GROUP(0), R, z9.s[1]
    fmla GROUP(0), ONES, z9.s[0]
    mova X_D, GROUP_D(0)
.endm

.macro scale
    fscale z0.s, p0/m, z0.s, z4.s
    fscale z1.s, p0/m, z1.s, z5.s
    fscale z2.s, p0/m, z2.s, z6.s
    fscale z3.s, p0/m, z3.s, z7.s
.endm

.macro exponential
    reduce
    upper_terms
    fmla GROUP(1), X, S
    fadd GROUP(1), R
    fadd GROUP(1), ONES
    mova X_D, GROUP_D(1)
    scale
.endm

// X = X / T
.macro divide
    fdiv z0.s, p0/m, z0.s, z16.s
    fdiv z1.s, p0/m, z1.s, z17.s
    fdiv z2.s, p0/m, z2.s, z18.s
    fdiv z3.s, p0/m, z3.s, z19.s
.endm

// Group 1 = X = 2^N e^R - 1, where group 1 holds e^R - 1. z13 is 127, z14 23.
.macro minus_one
    mova T_D, GROUP_D(1)
    add N, N, z13.s
    srshl N, N, z14.s
    mova GROUP_D(1), N_D
    fsub GROUP(1), ONES
    fmla GROUP(1), T, N
    mova X_D, GROUP_D(1)
.endm

function_begin sl_exp_sme2_asm
    begin
    cbz x1, 9f
    each_turn
    exponential
    end_turn
9:  ret
function_end sl_exp_sme2_asm

// e^x / (1 + e^x), for which the bounds keep e^x finite.
function_begin sl_sigmoid_sme2_asm
    begin
    cbz x1, 9f
    each_turn
    exponential
    mova GROUP_D(2), X_D
    fadd GROUP(2), ONES
    mova T_D, GROUP_D(2)
    divide
    end_turn
9:  ret
function_end sl_sigmoid_sme2_asm

// With y = e^2x - 1: y / (y + 2). N and R are of 2x, R halved.
function_begin sl_tanh_sme2_asm
    begin
    mov z13.s, #127
    mov z14.s, #23
    cbz x1, 9f
    each_turn
    reduce
    upper_terms
    fmla GROUP(1), X, S
    fmla GROUP(1), R, z8.s[3]
    minus_one
    fadd GROUP(1), ONES
    fadd GROUP(1), ONES
    mova T_D, GROUP_D(1)
    divide
    end_turn
9:  ret
function_end sl_tanh_sme2_asm

// max(x, 0) + a (e^min(x, 0) - 1)
function_begin sl_elu_sme2_asm
    begin
    ld1rw {z15.s}, p0/z, [x0, #32]
    mov z13.s, #127
    mov z14.s, #23
    cbz x1, 9f
    each_turn
    reduce
    upper_terms
    fmla GROUP(1), X, S
    fadd GROUP(1), R
    minus_one
    ld1w T, pn8/z, [x2, x5, lsl #2]
    fmax T, T, z12.s
    mova GROUP_D(2), T_D
    fmla GROUP(2), X, z15.s
    mova X_D, GROUP_D(2)
    end_turn
9:  ret
function_end sl_elu_sme2_asm

// x / 6 * min(max(x + 3, 0), 6), eight vectors a turn. z8 is {1/6, ...}, z10 3, z11 0, z12 6.
.macro hardswish_gate x, x_d, gate, gate_d, group
    mova GROUP_D(\group), THREES_D
    fadd GROUP(\group), \x
    mova \gate_d, GROUP_D(\group)
    fclamp \gate, z11.s, z12.s
.endm

.macro hardswish_product x, x_d, gate, group, product
    fmla GROUP(\group), \x, z8.s[0]
    mova \x_d, GROUP_D(\group)
    fmla GROUP(\product), \x, \gate
    mova \x_d, GROUP_D(\product)
.endm

function_begin sl_hardswish_sme2_asm
    begin
    fmov z28.s, #3.0
    fmov z29.s, #3.0
    fmov z30.s, #3.0
    fmov z31.s, #3.0
    cbz x1, 9f
    mov x7, x6
    lsl x9, x6, #1
    whilelt pn9.s, x7, x1, vlx4
1:  ld1w X, pn8/z, [x2, x5, lsl #2]
    ld1w R, pn9/z, [x2, x7, lsl #2]
    hardswish_gate X, X_D, N, N_D, 0
    hardswish_gate R, R_D, T, T_D, 1
    zero {za}
    hardswish_product X, X_D, N, 0, 2
    hardswish_product R, R_D, T, 1, 3
    st1w X, pn8, [x3, x5, lsl #2]
    st1w R, pn9, [x3, x7, lsl #2]
    add x5, x5, x9
    add x7, x7, x9
    whilelt pn9.s, x7, x1, vlx4
    whilelt pn8.s, x5, x1, vlx4
    b.mi 1b
9:  ret
function_end sl_hardswish_sme2_asm

// max(x, 0) - t Phi(-t), t = |x|; Phi(-t) = e^(-t^2 / 2) h(1 / (t + 3) - c). N and R are of -t^2,
// whose rounding would cost the tail its accuracy: it is summed in R unrounded. The reciprocal's
// rounding would cost as much near 0: what it lost is added after c is gone. Group 3 keeps N.
.macro gelu_next_pair group, coefficients, upper, lower
    fmla GROUP(\group), N, S
    fmla GROUP(\group), R, \coefficients\().s[\upper]
    fmla GROUP(\group), ONES, \coefficients\().s[\lower]
    mova N_D, GROUP_D(\group)
.endm

// R = 1 / (t + 3) - c, S = R^2
.macro gelu_argument
    fadd GROUP(2), T
    fmla GROUP(2), ONES, z8.s[3]
    mova R_D, GROUP_D(2)
    fdivr z20.s, p0/m, z20.s, z28.s
    fdivr z21.s, p0/m, z21.s, z28.s
    fdivr z22.s, p0/m, z22.s, z28.s
    fdivr z23.s, p0/m, z23.s, z28.s
    zero {za0.s, za1.s, za2.s}
    fadd GROUP(0), ONES
    fmls GROUP(0), R, z8.s[3]
    fmls GROUP(0), T, R
    mova N_D, GROUP_D(0)
    fmla GROUP(1), ONES, z10.s[2]
    fadd GROUP(1), R
    fmla GROUP(1), R, N
    mova R_D, GROUP_D(1)
    fmla GROUP(2), R, R
    mova S_D, GROUP_D(2)
.endm

function_begin sl_gelu_sme2_asm
    begin
    ld1rqw {z13.s}, p0/z, [x4, #64]
    ld1rqw {z14.s}, p0/z, [x4, #80]
    ld1rqw {z15.s}, p0/z, [x4, #96]
    cbz x1, 9f
    each_turn
    fabs z16.s, p0/m, z0.s
    fabs z17.s, p0/m, z1.s
    fabs z18.s, p0/m, z2.s
    fabs z19.s, p0/m, z3.s
    fmin T, T, z11.s
    zero {za}
    fmla GROUP(0), T, z8.s[0]
    mova X_D, GROUP_D(0)
    fmla GROUP(1), X, T
    mova N_D, GROUP_D(1)
    frintn N, N
    zero {za1.s}
    fmls GROUP(1), N, z8.s[1]
    fmls GROUP(1), T, T
    fmls GROUP(1), N, z8.s[2]
    mova R_D, GROUP_D(1)
    fcvtzs N, N
    upper_terms
    fmla GROUP(1), X, S
    fmla GROUP(1), R, z10.s[1]
    mova X_D, GROUP_D(1)
    mova GROUP_D(3), N_D
    gelu_argument
    zero {za0.s, za1.s, za2.s}
    fmla GROUP(0), R, z15.s[1]
    fmla GROUP(0), ONES, z15.s[0]
    mova N_D, GROUP_D(0)
    gelu_next_pair 1, z14, 3, 2
    gelu_next_pair 2, z14, 1, 0
    zero {za0.s, za1.s, za2.s}
    gelu_next_pair 0, z13, 3, 2
    gelu_next_pair 1, z13, 1, 0
    fmla GROUP(1), N, X         // h e^R = h + h (e^R - 1)
    mova X_D, GROUP_D(1)
    fmla GROUP(2), T, X
    mova X_D, GROUP_D(2)
    mova N_D, GROUP_D(3)
    scale
    ld1w T, pn8/z, [x2, x5, lsl #2]
    fmax T, T, z12.s
    mova GROUP_D(0), T_D
    fsub GROUP(0), X
    mova X_D, GROUP_D(0)
    end_turn
9:  ret
function_end sl_gelu_sme2_asm

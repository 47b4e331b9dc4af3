/* kernels/binary/binary_dense_sme2_asm.S: binary operators on two dense operands, with a clamp or
 * without, 32 vectors a turn. The readable form is the loop of binary_scalar.c.
 *
 * sl_binary_<op>_sme2_asm(const struct sl_binary_args *), in streaming mode with ZA on. There is no
 * addition of four vectors to four, but there is one to a group of ZA: with a move in and out that is
 * one instruction less. */
#include "kernels/cpu/asm.h"

// {z0-z3} = {z0-z3} op {z4-z7}, and the same for z16 and z20.
.macro op_add
    mova za.d[w8, 0, vgx4], {z0.d-z3.d}
    mova za.d[w8, 1, vgx4], {z16.d-z19.d}
    fadd za.s[w8, 0, vgx4], {z4.s-z7.s}
    fadd za.s[w8, 1, vgx4], {z20.s-z23.s}
    mova {z0.d-z3.d}, za.d[w8, 0, vgx4]
    mova {z16.d-z19.d}, za.d[w8, 1, vgx4]
.endm

.macro op_subtract
    mova za.d[w8, 0, vgx4], {z0.d-z3.d}
    mova za.d[w8, 1, vgx4], {z16.d-z19.d}
    fsub za.s[w8, 0, vgx4], {z4.s-z7.s}
    fsub za.s[w8, 1, vgx4], {z20.s-z23.s}
    mova {z0.d-z3.d}, za.d[w8, 0, vgx4]
    mova {z16.d-z19.d}, za.d[w8, 1, vgx4]
.endm

.macro op_multiply
    fmul z0.s, z0.s, z4.s
    fmul z1.s, z1.s, z5.s
    fmul z2.s, z2.s, z6.s
    fmul z3.s, z3.s, z7.s
    fmul z16.s, z16.s, z20.s
    fmul z17.s, z17.s, z21.s
    fmul z18.s, z18.s, z22.s
    fmul z19.s, z19.s, z23.s
.endm

.macro op_divide
    fdiv z0.s, p0/m, z0.s, z4.s
    fdiv z1.s, p0/m, z1.s, z5.s
    fdiv z2.s, p0/m, z2.s, z6.s
    fdiv z3.s, p0/m, z3.s, z7.s
    fdiv z16.s, p0/m, z16.s, z20.s
    fdiv z17.s, p0/m, z17.s, z21.s
    fdiv z18.s, p0/m, z18.s, z22.s
    fdiv z19.s, p0/m, z19.s, z23.s
.endm

.macro op_maximum
    fmax {z0.s-z3.s}, {z0.s-z3.s}, {z4.s-z7.s}
    fmax {z16.s-z19.s}, {z16.s-z19.s}, {z20.s-z23.s}
.endm

.macro op_minimum
    fmin {z0.s-z3.s}, {z0.s-z3.s}, {z4.s-z7.s}
    fmin {z16.s-z19.s}, {z16.s-z19.s}, {z20.s-z23.s}
.endm

.macro prelu_of x, slope
    fcmlt p1.s, p0/z, \x\().s, #0.0
    fmul \x\().s, p1/m, \x\().s, \slope\().s
.endm

.macro op_prelu
    prelu_of z0, z4
    prelu_of z1, z5
    prelu_of z2, z6
    prelu_of z3, z7
    prelu_of z16, z20
    prelu_of z17, z21
    prelu_of z18, z22
    prelu_of z19, z23
.endm

// FCLAMP would make a bound of a NaN.
.macro clamp_pair
    fmax {z0.s-z3.s}, {z0.s-z3.s}, z8.s
    fmax {z16.s-z19.s}, {z16.s-z19.s}, z8.s
    fmin {z0.s-z3.s}, {z0.s-z3.s}, z9.s
    fmin {z16.s-z19.s}, {z16.s-z19.s}, z9.s
.endm

// Eight vectors from vector \at, which is \next - 4, on.
.macro eight_vectors op, clamped, at, next
    ld1w {z0.s-z3.s}, pn8/z, [x2, #\at, mul vl]
    ld1w {z16.s-z19.s}, pn8/z, [x2, #\next, mul vl]
    ld1w {z4.s-z7.s}, pn8/z, [x3, #\at, mul vl]
    ld1w {z20.s-z23.s}, pn8/z, [x3, #\next, mul vl]
    op_\op
    .if \clamped
    clamp_pair
    .endif
    st1w {z0.s-z3.s}, pn8, [x4, #\at, mul vl]
    st1w {z16.s-z19.s}, pn8, [x4, #\next, mul vl]
.endm

.macro whole_turns op, clamped
1:  eight_vectors \op, \clamped, 0, 4
    eight_vectors \op, \clamped, 8, 12
    eight_vectors \op, \clamped, 16, 20
    eight_vectors \op, \clamped, 24, 28
    add x2, x2, x6
    add x3, x3, x6
    add x4, x4, x6
    subs x5, x5, #1
    b.ne 1b
.endm

// The last elements, fewer than 32 vectors, eight vectors at a time and always clamped.
.macro binary op
function_begin sl_binary_\op\()_sme2_asm
    ldp x1, x2, [x0]            // count, a
    ldr x3, [x0, #16]           // b
    ldr x4, [x0, #40]           // out
    ptrue p0.s
    ld1rw {z8.s}, p0/z, [x0, #48]
    ld1rw {z9.s}, p0/z, [x0, #52]
    ptrue pn8.s
    mov w8, wzr
    cntw x6, all, mul #16
    lsl x6, x6, #1              // elements of 32 vectors
    udiv x5, x1, x6
    cbz x5, 4f
    msub x1, x5, x6, x1         // those behind the whole turns
    lsl x6, x6, #2
    ldr x9, [x0, #48]
    mov x10, #0xff800000        // -inf, +inf: no clamp
    movk x10, #0x7f80, lsl #48
    cmp x9, x10
    b.eq 2f
    whole_turns \op, 1
    b 4f
2:  whole_turns \op, 0
4:  cntw x6, all, mul #4
    mov x5, xzr
    cbz x1, 6f
5:  whilelt pn9.s, x5, x1, vlx4
    add x7, x5, x6
    whilelt pn10.s, x7, x1, vlx4
    ld1w {z0.s-z3.s}, pn9/z, [x2, x5, lsl #2]
    ld1w {z16.s-z19.s}, pn10/z, [x2, x7, lsl #2]
    ld1w {z4.s-z7.s}, pn9/z, [x3, x5, lsl #2]
    ld1w {z20.s-z23.s}, pn10/z, [x3, x7, lsl #2]
    op_\op
    clamp_pair
    st1w {z0.s-z3.s}, pn9, [x4, x5, lsl #2]
    st1w {z16.s-z19.s}, pn10, [x4, x7, lsl #2]
    add x5, x7, x6
    cmp x5, x1
    b.lo 5b
6:  ret
function_end sl_binary_\op\()_sme2_asm
.endm

binary add
binary subtract
binary multiply
binary divide
binary maximum
binary minimum
binary prelu

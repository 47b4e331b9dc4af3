/* kernels/unary/clamp_sme2_asm.S: clamps of a dense array, 32 vectors a turn. The readable form is
 * the clamp of unary_scalar.c.
 *
 * sl_unary_clamp_sme2_asm(const struct sl_unary_clamp *), in streaming mode. FCLAMP would make a
 * bound of a NaN. */
#include "kernels/cpu/asm.h"

// Sixteen vectors, of which \at is the first and each other word four further on.
.macro clamp_vectors at, second, third, fourth
    ld1w {z0.s-z3.s}, pn8/z, [x2, #\at, mul vl]
    ld1w {z4.s-z7.s}, pn8/z, [x2, #\second, mul vl]
    ld1w {z16.s-z19.s}, pn8/z, [x2, #\third, mul vl]
    ld1w {z20.s-z23.s}, pn8/z, [x2, #\fourth, mul vl]
    fmax {z0.s-z3.s}, {z0.s-z3.s}, z8.s
    fmax {z4.s-z7.s}, {z4.s-z7.s}, z8.s
    fmax {z16.s-z19.s}, {z16.s-z19.s}, z8.s
    fmax {z20.s-z23.s}, {z20.s-z23.s}, z8.s
    fmin {z0.s-z3.s}, {z0.s-z3.s}, z9.s
    fmin {z4.s-z7.s}, {z4.s-z7.s}, z9.s
    fmin {z16.s-z19.s}, {z16.s-z19.s}, z9.s
    fmin {z20.s-z23.s}, {z20.s-z23.s}, z9.s
    st1w {z0.s-z3.s}, pn8, [x3, #\at, mul vl]
    st1w {z4.s-z7.s}, pn8, [x3, #\second, mul vl]
    st1w {z16.s-z19.s}, pn8, [x3, #\third, mul vl]
    st1w {z20.s-z23.s}, pn8, [x3, #\fourth, mul vl]
.endm

function_begin sl_unary_clamp_sme2_asm
    ldp x1, x2, [x0]            // count, in
    ldr x3, [x0, #16]           // out
    ptrue p0.s
    ld1rw {z8.s}, p0/z, [x0, #24]
    ld1rw {z9.s}, p0/z, [x0, #28]
    ptrue pn8.s
    cntw x6, all, mul #16
    lsl x6, x6, #1              // elements of 32 vectors
    udiv x5, x1, x6
    cbz x5, 2f
    msub x1, x5, x6, x1         // those behind the whole turns
    lsl x6, x6, #2
1:  clamp_vectors 0, 4, 8, 12
    clamp_vectors 16, 20, 24, 28
    add x2, x2, x6
    add x3, x3, x6
    subs x5, x5, #1
    b.ne 1b
2:  cntw x6, all, mul #4
    mov x5, xzr
    cbz x1, 4f
3:  whilelt pn9.s, x5, x1, vlx4
    ld1w {z0.s-z3.s}, pn9/z, [x2, x5, lsl #2]
    fmax {z0.s-z3.s}, {z0.s-z3.s}, z8.s
    fmin {z0.s-z3.s}, {z0.s-z3.s}, z9.s
    st1w {z0.s-z3.s}, pn9, [x3, x5, lsl #2]
    add x5, x5, x6
    cmp x5, x1
    b.lo 3b
4:  ret
function_end sl_unary_clamp_sme2_asm

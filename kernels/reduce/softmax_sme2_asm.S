/* kernels/reduce/softmax_sme2_asm.S: softmax of rows, four vectors a turn. The readable form is that
 * of reduce_scalar.c, with e^x as softmax_sme2.c says.
 *
 * sl_softmax_rows_sme2_asm(const struct sl_softmax_rows *), in streaming mode with ZA on. A row of one
 * turn stays in registers. A longer one is read three times: its largest element, e^(x - largest) with the
 * sum, and the division; the last turn, whole or not, is by pn9 and p1-p4. Of rows whose last turn has
 * fewer than four vectors four go together: their last turns share turns of their own. z11 the largest,
 * z12 1 / sum, z13 sum, z14 -104, z15 the least x. */
#include "kernels/cpu/asm.h"
#include "kernels/cpu/exponential_sme2_asm.inc"

// \op of four vectors into \to, the lanes that a last turn has.
.macro merge_last op, to
    \op \to\().s, p2/m, \to\().s, z1.s
    \op \to\().s, p3/m, \to\().s, z2.s
    \op \to\().s, p4/m, \to\().s, z3.s
.endm

// z11 and z15 from the largest element s4.
.macro largest_is_s4
    mov z11.s, s4
    fadd z15.s, z11.s, z14.s
.endm

// X = e^(X - the largest), which \subtract takes from group 1.
.macro power_less subtract:vararg
    zero {za}
    mova GROUP_D(1), X_D
    \subtract
    mova X_D, GROUP_D(1)
    fmla GROUP(0), X, z8.s[0]
    mova N_D, GROUP_D(0)
    frintn N, N
    fmls GROUP(1), N, z8.s[1]
    fmls GROUP(1), N, z8.s[2]
    mova R_D, GROUP_D(1)
    fcvtzs N, N
    power_of_reduced
.endm

// The power of one row.
.macro power
    fmax X, X, z15.s
    power_less fmls GROUP(1), ONES, z11.s
.endm

.macro divide
    fmul z0.s, z0.s, z12.s
    fmul z1.s, z1.s, z12.s
    fmul z2.s, z2.s, z12.s
    fmul z3.s, z3.s, z12.s
.endm

.macro add_to_sum
    fadd z13.s, z13.s, z0.s
    fadd z13.s, z13.s, z1.s
    fadd z13.s, z13.s, z2.s
    fadd z13.s, z13.s, z3.s
.endm

#include "kernels/reduce/softmax_four_sme2_asm.inc"

function_begin sl_softmax_rows_sme2_asm
    ldp x0, x9, [x0]            // arguments, constants
    ldp x4, x1, [x0]            // rows, elements of each
    ldp x2, x3, [x0, #24]       // in, out
    cbz x4, 90f
    cbz x1, 90f
    ptrue p0.s
    ptrue pn8.s
    ld1rqw {z8.s}, p0/z, [x9]
    ld1rqw {z9.s}, p0/z, [x9, #16]
    ld1rqw {z10.s}, p0/z, [x9, #32]
    ld1rw {z14.s}, p0/z, [x9, #48]
    fmov z28.s, #1.0
    fmov z29.s, #1.0
    fmov z30.s, #1.0
    fmov z31.s, #1.0
    mov w8, wzr
    cntw x6, all, mul #4
    sub x7, x1, #1
    udiv x7, x7, x6
    mul x7, x7, x6              // elements before the last turn
    whilelt pn9.s, x7, x1, vlx4
    pext {p1.s, p2.s}, pn9[0]
    pext {p3.s, p4.s}, pn9[1]
    cmp x4, #4
    b.lo 60f
    sub x9, x1, x7
    cntw x10
    add x11, x10, x10, lsl #1
    sub sp, sp, #16
    lsl x14, x1, #2
    sub x12, x7, x6
    cbz x7, 54f
    cmp x9, x11
    b.hi 59f
    cmp x9, x10, lsl #1
    b.hi 53f
    cmp x9, x10
    b.hi 52f
    four_rows_of 1
52: four_rows_of 2
53: four_rows_of 3
54: cmp x9, x10, lsl #1
    b.hi 59f
    cmp x9, x10
    b.hi 55f
    four_rows 1, 0
55: four_rows 2, 0
59: add sp, sp, #16
60: cbz x4, 90f
    cbnz x7, 10f
1:  ld1w X, pn9/z, [x2]
    mov z4.d, z0.d
    merge_last fmax, z4
    fmaxv s4, p1, z4.s
    largest_is_s4
    power
    mov z13.d, z0.d
    merge_last fadd, z13
    faddv s13, p1, z13.s
    fdiv s13, s28, s13
    mov z12.s, s13
    divide
    st1w X, pn9, [x3]
    add x2, x2, x1, lsl #2
    add x3, x3, x1, lsl #2
    subs x4, x4, #1
    b.ne 1b
    ret
10: ld1w N, pn8/z, [x2]
    mov x5, x6
    cmp x5, x7
    b.hs 12f
11: ld1w X, pn8/z, [x2, x5, lsl #2]
    add x5, x5, x6
    fmax N, N, X
    cmp x5, x7
    b.lo 11b
12: ld1w X, pn9/z, [x2, x7, lsl #2]
    fmax z4.s, p1/m, z4.s, z0.s
    fmax z5.s, p2/m, z5.s, z1.s
    fmax z6.s, p3/m, z6.s, z2.s
    fmax z7.s, p4/m, z7.s, z3.s
    fmax {z4.s-z5.s}, {z4.s-z5.s}, {z6.s-z7.s}
    fmax z4.s, p0/m, z4.s, z5.s
    fmaxv s4, p0, z4.s
    largest_is_s4
    mov z13.s, #0
    mov x5, xzr
21: ld1w X, pn8/z, [x2, x5, lsl #2]
    power
    add_to_sum
    st1w X, pn8, [x3, x5, lsl #2]
    add x5, x5, x6
    cmp x5, x7
    b.lo 21b
    ld1w X, pn9/z, [x2, x7, lsl #2]
    power
    fadd z13.s, p1/m, z13.s, z0.s
    merge_last fadd, z13
    faddv s13, p0, z13.s
    fdiv s13, s28, s13
    mov z12.s, s13
    divide
    st1w X, pn9, [x3, x7, lsl #2]
    mov x5, xzr
31: ld1w X, pn8/z, [x3, x5, lsl #2]
    divide
    st1w X, pn8, [x3, x5, lsl #2]
    add x5, x5, x6
    cmp x5, x7
    b.lo 31b
    add x2, x2, x1, lsl #2
    add x3, x3, x1, lsl #2
    subs x4, x4, #1
    b.ne 10b
90: ret
function_end sl_softmax_rows_sme2_asm

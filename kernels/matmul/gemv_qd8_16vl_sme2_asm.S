/* kernels/matmul/gemv_qd8_16vl_sme2_asm.S: one row of int8 times panels of int8 or int4.
 *
 * sl_gemv_qd8_sme2_asm(const struct sl_qd8_gemv *), sl_gemv_q4_sme2_asm(), sl_gemv_q4_groups_sme2_asm(), in
 * streaming mode with ZA on. Panels: qd8_gemv.h; what is computed: finish() and run_groups() of qd8_panels. z8-z15
 * are not touched.
 *
 * The sums are vector groups of ZA. Four words a turn: one load brings them from the row, every four vectors of
 * weights take one SDOT by an element, before it one load (int8) or half a load and two LUTI4 (int4). */
#include "kernels/cpu/asm.h"
#include "kernels/matmul/gemv_qd8_store_sme2_asm.inc"
#include "kernels/matmul/gemv_words8_sme2_asm.inc"

// A line of corrections, at x14.
.macro correct g, groups
    .if \g < \groups
    ld1w {z16.s-z19.s}, pn8/z, [x14, #(\g * 4), mul vl]
    correct_four \g, 16, 19
    .endif
.endm

.macro take_sums p, q, g, groups
    .if \g < \groups
    mova {z\p\().d-z\q\().d}, za.d[w8, \g, vgx4]
    .endif
.endm

// By the row's scale, to ZA, which is 0.
.macro scale_sums p, q, g, groups
    .if \g < \groups
    scvtf {z\p\().s-z\q\().s}, {z\p\().s-z\q\().s}
    fmla za.s[w8, \g, vgx4], {z\p\().s-z\q\().s}, z4.s
    .endif
.endm

// By scales, x14, onto biases, x15, bounded: z16-z19.
.macro finish_four g, groups
    mova {z20.d-z23.d}, za.d[w8, \g, vgx4]
    ld1w {z24.s-z27.s}, pn8/z, [x15, #(\g * 4), mul vl]
    mova za.d[w8, \g, vgx4], {z24.d-z27.d}
    ld1w {z28.s-z31.s}, pn8/z, [x14, #(\g * 4), mul vl]
    fmla za.s[w8, \g, vgx4], {z20.s-z23.s}, {z28.s-z31.s}
    mova {z16.d-z19.d}, za.d[w8, \g, vgx4]
    fclamp {z16.s-z19.s}, z1.s, z2.s
.endm

.macro put_group g, groups
    .if \g < \groups
    finish_four \g, \groups
    store_bounded
    .endif
.endm

.macro put_floats g
    finish_four \g, 4
    st1w {z16.s-z19.s}, pn8, [x17, #(\g * 4), mul vl]
.endm

.macro put_halves g
    finish_four \g, 4
    fcvt z16.h, {z16.s-z17.s}
    fcvt z17.h, {z18.s-z19.s}
    st1h {z16.h-z17.h}, pn8, [x17, #(\g * 2), mul vl]
.endm

// x2 moves from a panel's head behind it, x7: bytes of a line.
.macro begin_block groups
    mov x14, x2
    rdvl x7, #(\groups * 4)
    add x17, x13, #2
    madd x2, x17, x7, x2
    zero {za}
    mov x1, x10
.endm

.macro end_block groups, whole
    mov x6, x13
7:  correct 0, \groups
    correct 1, \groups
    correct 2, \groups
    correct 3, \groups
    add x14, x14, x7
    subs x6, x6, #1
    b.ne 7b
    take_sums 16, 19, 0, \groups
    take_sums 20, 23, 1, \groups
    take_sums 24, 27, 2, \groups
    take_sums 28, 31, 3, \groups
    zero {za}
    scale_sums 16, 19, 0, \groups
    scale_sums 20, 23, 1, \groups
    scale_sums 24, 27, 2, \groups
    scale_sums 28, 31, 3, \groups
    add x15, x14, x7
    .if \whole == 0
    put_group 0, \groups
    put_group 1, \groups
    put_group 2, \groups
    put_group 3, \groups
    .else
    cbnz w16, 8f
    add x17, x3, x9, lsl #2
    put_floats 0
    put_floats 1
    put_floats 2
    put_floats 3
    b 9f
8:  add x17, x3, x9, lsl #1
    put_halves 0
    put_halves 1
    put_halves 2
    put_halves 3
9:  incw x9, all, mul #16
    .endif
.endm

.macro block8 groups, whole=0
    begin_block \groups
    all_words8 \groups
    end_block \groups, \whole
.endm

function_begin sl_gemv_qd8_sme2_asm
    load_job
    correction_factors
    all_blocks8
function_end sl_gemv_qd8_sme2_asm

// int4: group \g of word \k, its two lines of nibbles in z\p and z\q.
.macro groups4 k, g, p, q
    luti4 {z16.b-z17.b}, zt0, z\p[0]
    luti4 {z18.b-z19.b}, zt0, z\q[0]
    sdot za.s[w8, \g, vgx4], {z16.b-z19.b}, z0.b[\k]
.endm

.macro word4 k, groups
    ld1b {z24.b-z27.b}, pn8/z, [x2, #(\k * \groups * 2), mul vl]
    groups4 \k, 0, 24, 25
    groups4 \k, 1, 26, 27
    .if \groups == 4
    ld1b {z28.b-z31.b}, pn8/z, [x2, #(\k * \groups * 2 + 4), mul vl]
    groups4 \k, 2, 28, 29
    groups4 \k, 3, 30, 31
    .endif
.endm

.macro block4 groups, whole
    begin_block \groups
    mov x6, x11
    cbz x6, 2f
    lsl x17, x7, #1
1:  ld1rqw {z0.s}, p0/z, [x1]
    word4 0, \groups
    word4 1, \groups
    subs x6, x6, #1
    word4 2, \groups
    word4 3, \groups
    add x1, x1, #16
    add x2, x2, x17
    b.ne 1b
2:  cbz x5, 4f
    mov x6, x5
3:  ld1rw {z0.s}, p0/z, [x1]
    word4 0, \groups
    add x1, x1, #4
    add x2, x2, x7, lsr #1
    subs x6, x6, #1
    b.ne 3b
4:  end_block \groups, \whole
.endm

function_begin sl_gemv_q4_sme2_asm
    load_nibble_values
    load_job
    correction_factors
10: sub x6, x4, x9
    cntw x17, all, mul #8
    cmp x6, x17
    b.ls 20f
    cmp x6, x17, lsl #1
    b.lo 30f
    block4 4, 1
    cmp x9, x4
    b.lo 10b
    ret
20: block4 2, 0
    ret
30: block4 4, 0
    ret
function_end sl_gemv_q4_sme2_asm

// In groups. Float sums are groups 2 and 3 of ZA; \f of them starts with -z times the panel's sums.
.macro start_sums f, at
    ld1w {z20.s-z23.s}, pn8/z, [x14, #\at, mul vl]
    fmul z20.s, z20.s, z3.s
    fmul z21.s, z21.s, z3.s
    fmul z22.s, z22.s, z3.s
    fmul z23.s, z23.s, z3.s
    mova za.d[w8, \f, vgx4], {z20.d-z23.d}
.endm

.macro fold_sums g, f, at
    mova {z16.d-z19.d}, za.d[w8, \g, vgx4]
    ld1w {z20.s-z23.s}, pn8/z, [x12, #\at, mul vl]
    scvtf {z16.s-z19.s}, {z16.s-z19.s}
    mova za.d[w8, \g, vgx4], {z28.d-z31.d}
    fmla za.s[w8, \f, vgx4], {z16.s-z19.s}, {z20.s-z23.s}
.endm

.macro finish_sums f, at
    mova {z16.d-z19.d}, za.d[w8, \f, vgx4]
    ld1w {z20.s-z23.s}, pn8/z, [x14, #\at, mul vl]
    fmad z16.s, p0/m, z4.s, z20.s
    fmad z17.s, p0/m, z4.s, z21.s
    fmad z18.s, p0/m, z4.s, z22.s
    fmad z19.s, p0/m, z4.s, z23.s
    store_four
.endm

function_begin sl_gemv_q4_groups_sme2_asm
    load_nibble_values
    load_job
    scvtf z3.s, p0/m, z3.s
    fneg z3.s, p0/m, z3.s
    rdvl x7, #8                 // bytes of a line
    mov z28.s, #0
    mov z29.s, #0
    mov z30.s, #0
    mov z31.s, #0
10: mov x14, x2
    add x2, x2, x7, lsl #1
    mov x1, x10
    zero {za}
    start_sums 2, 0
    start_sums 3, 4
    mov x17, x13
    cbz x17, 40f
20: mov x12, x2                 // the group's scales
    add x2, x2, x7
    mov x6, x11
30: ld1rqw {z0.s}, p0/z, [x1]
    word4 0, 2
    word4 1, 2
    subs x6, x6, #1
    word4 2, 2
    word4 3, 2
    add x1, x1, #16
    add x2, x2, x7, lsl #1
    b.ne 30b
    fold_sums 0, 2, 0
    fold_sums 1, 3, 4
    subs x17, x17, #1
    b.ne 20b
40: finish_sums 2, 8
    finish_sums 3, 12
    cmp x9, x4
    b.lo 10b
    ret
function_end sl_gemv_q4_groups_sme2_asm

/* kernels/matmul/gemv_q4_panels_sme2_asm.S: one row of int8 times panels of int4 that are packed for outer
 * products, by channel and in groups.
 *
 * sl_gemv_q4_panels_sme2_asm(const struct sl_qd8_gemv *), sl_gemv_q4_groups_panels_sme2_asm(), in streaming mode
 * with ZA on. Panels: qd8_mopa.h; what is computed: finish() and run_groups() of qd8_panels. z8-z15 are not
 * touched.
 *
 * Two panels are a vector group: a line of nibbles of each makes four vectors of weights, which one SDOT by an
 * element adds to the sums of both in ZA. Four panels, two or one are walked together, for one load of the row. */
#include "kernels/cpu/asm.h"
#include "kernels/matmul/gemv_qd8_store_sme2_asm.inc"

// x12: bytes from a panel's begin to its first words, x14: from panel to panel, x20: words by 16, x11: the rest by four.
// Words of the panels walked: x0, x15, x17, x19.
.macro line_of_words g, a, b, row, lane, both
    luti4 {z16.b-z17.b}, zt0, z\a[0]
    .if \both
    luti4 {z18.b-z19.b}, zt0, z\b[0]
    .endif
    sdot za.s[w8, \g, vgx4], {z16.b-z19.b}, z\row\().b[\lane]
.endm

.macro pair_of_words4 g, a, b, both, at, row
    ld1b {z20.b-z23.b}, pn8/z, [\a, #\at, mul vl]
    .if \both
    ld1b {z24.b-z27.b}, pn8/z, [\b, #\at, mul vl]
    .endif
    line_of_words \g, 20, 24, \row, 0, \both
    line_of_words \g, 21, 25, \row, 1, \both
    line_of_words \g, 22, 26, \row, 2, \both
    line_of_words \g, 23, 27, \row, 3, \both
.endm

.macro words4 panels, at, row
    .if \panels == 1
    pair_of_words4 0, x0, x0, 0, \at, \row
    .else
    pair_of_words4 0, x0, x15, 1, \at, \row
    .endif
    .if \panels == 4
    pair_of_words4 1, x17, x19, 1, \at, \row
    .endif
.endm

.macro pair_of_words g, a, b, both
    ld1b {z20.b}, p0/z, [\a]
    .if \both
    ld1b {z24.b}, p0/z, [\b]
    .endif
    line_of_words \g, 20, 24, 0, 0, \both
.endm

.macro advance panels, vectors
    addvl x0, x0, #\vectors
    .if \panels > 1
    addvl x15, x15, #\vectors
    .endif
    .if \panels > 2
    addvl x17, x17, #\vectors
    addvl x19, x19, #\vectors
    .endif
.endm

.macro begin_panels panels
    add x0, x2, x12
    add x15, x0, x14
    .if \panels > 2
    add x17, x15, x14
    add x19, x17, x14
    .endif
    mov x1, x10
    zero {za}
.endm

// Heads of panels 2g and 2g + 1: x6, x7; of a last panel alone both are it.
.macro heads_of g, panels
    .if \g
    add x6, x2, x14, lsl #1
    .else
    mov x6, x2
    .endif
    .if \panels > 1
    add x7, x6, x14
    .else
    mov x7, x6
    .endif
.endm

// A line of both to four vectors.
.macro load_line p, q, r, s, at
    ld1w {z\p\().s-z\q\().s}, pn8/z, [x6, #\at, mul vl]
    ld1w {z\r\().s-z\s\().s}, pn8/z, [x7, #\at, mul vl]
.endm

.macro next_panels panels
    .rept \panels
    add x2, x2, x14
    .endr
.endm

// Panels four by four, two by two, or the last one, by the macro block.
.macro all_blocks
    cntw x21, all, mul #6
10: sub x6, x4, x9
    cmp x6, x21
    b.ls 20f
    block 4
    cmp x9, x4
    b.lo 10b
    b 90f
20: cntw x7, all, mul #2
    cmp x6, x7
    b.ls 30f
    block 2
    cmp x9, x4
    b.lo 10b
    b 90f
30: block 1
90:
.endm

// By channel. The sums of a pair: what the zero point takes off, scales, biases.
.macro finish_pair g, panels
    heads_of \g, \panels
    mov x1, x13
1:  load_line 20, 21, 22, 23, 0
    correct_four \g, 20, 23
    addvl x6, x6, #2
    addvl x7, x7, #2
    subs x1, x1, #1
    b.ne 1b
    mova {z16.d-z19.d}, za.d[w8, \g, vgx4]
    load_line 20, 21, 22, 23, 0
    load_line 24, 25, 26, 27, 2
    scale_four
    store_four
.endm

.macro block panels
    begin_panels \panels
    mov x6, x20
    cbz x6, 2f
1:  ld1rqw {z0.s}, p0/z, [x1]
    ld1rqw {z6.s}, p0/z, [x1, #16]
    words4 \panels, 0, 0
    ld1rqw {z7.s}, p0/z, [x1, #32]
    words4 \panels, 4, 6
    ld1rqw {z0.s}, p0/z, [x1, #48]
    words4 \panels, 8, 7
    add x1, x1, #64
    words4 \panels, 12, 0
    advance \panels, 16
    subs x6, x6, #1
    b.ne 1b
2:  mov x6, x11
    cbz x6, 4f
3:  ld1rqw {z0.s}, p0/z, [x1]
    words4 \panels, 0, 0
    advance \panels, 4
    add x1, x1, #16
    subs x6, x6, #1
    b.ne 3b
4:  mov x6, x5
    cbz x6, 6f
5:  ld1rw {z0.s}, p0/z, [x1]
    .if \panels == 1
    pair_of_words 0, x0, x0, 0
    .else
    pair_of_words 0, x0, x15, 1
    .endif
    .if \panels == 4
    pair_of_words 1, x17, x19, 1
    .endif
    advance \panels, 1
    add x1, x1, #4
    subs x6, x6, #1
    b.ne 5b
6:  finish_pair 0, \panels
    .if \panels == 4
    finish_pair 1, \panels
    .endif
    next_panels \panels
.endm

function_begin sl_gemv_q4_panels_sme2_asm
    stp x19, x20, [sp, #-32]!
    stp x21, x22, [sp, #16]
    load_nibble_values
    load_job
    rdvl x6, #1
    add x12, x13, #2
    lsl x12, x12, #1
    lsl x14, x11, #2
    add x14, x14, x5
    add x14, x14, x12
    mul x12, x12, x6
    mul x14, x14, x6
    lsr x20, x11, #2
    and x11, x11, #3
    correction_factors
    all_blocks
    ldp x21, x22, [sp, #16]
    ldp x19, x20, [sp], #32
    ret
function_end sl_gemv_q4_panels_sme2_asm

// In groups. Integers of a group: vector groups 0 and 1; the sums in float are 2 and 3, which start with -z times
// those of a panel's head. z28-z31: 0. x22: elements from behind a group's words back to its scales.
.macro start_sums g, f, panels
    heads_of \g, \panels
    load_line 20, 21, 22, 23, 0
    fmul z20.s, z20.s, z3.s
    fmul z21.s, z21.s, z3.s
    fmul z22.s, z22.s, z3.s
    fmul z23.s, z23.s, z3.s
    mova za.d[w8, \f, vgx4], {z20.d-z23.d}
.endm

.macro fold_pair g, f, a, b, at:vararg
    mova {z16.d-z19.d}, za.d[w8, \g, vgx4]
    ld1w {z20.s-z21.s}, pn8/z, [\a, \at]
    ld1w {z22.s-z23.s}, pn8/z, [\b, \at]
    scvtf {z16.s-z19.s}, {z16.s-z19.s}
    mova za.d[w8, \g, vgx4], {z28.d-z31.d}
    fmla za.s[w8, \f, vgx4], {z16.s-z19.s}, {z20.s-z23.s}
.endm

.macro fold panels, at:vararg
    .if \panels == 1
    fold_pair 0, 2, x0, x0, \at
    .else
    fold_pair 0, 2, x0, x15, \at
    .endif
    .if \panels == 4
    fold_pair 1, 3, x17, x19, \at
    .endif
.endm

.macro eight_words panels
    ld1rqw {z0.s}, p0/z, [x1]
    ld1rqw {z5.s}, p0/z, [x1, #16]
    words4 \panels, 0, 0
    add x1, x1, #32
    words4 \panels, 4, 5
.endm

.macro finish_sums g, f, panels
    mova {z16.d-z19.d}, za.d[w8, \f, vgx4]
    heads_of \g, \panels
    load_line 20, 21, 22, 23, 2
    fmad z16.s, p0/m, z4.s, z20.s
    fmad z17.s, p0/m, z4.s, z21.s
    fmad z18.s, p0/m, z4.s, z22.s
    fmad z19.s, p0/m, z4.s, z23.s
    store_four
.endm

.purgem block
.macro block panels
    begin_panels \panels
    start_sums 0, 2, \panels
    .if \panels == 4
    start_sums 1, 3, \panels
    .endif
    mov x7, x13
    cbz x7, 5f
    cmp x20, #1
    b.ne 3f
1:  eight_words \panels
    fold \panels, #-2, mul vl
    advance \panels, 10
    subs x7, x7, #1
    b.ne 1b
    b 5f
3:  mov x6, x20
4:  eight_words \panels
    advance \panels, 8
    subs x6, x6, #1
    b.ne 4b
    fold \panels, x22, lsl #2
    advance \panels, 2
    subs x7, x7, #1
    b.ne 3b
5:  finish_sums 0, 2, \panels
    .if \panels == 4
    finish_sums 1, 3, \panels
    .endif
    next_panels \panels
.endm

function_begin sl_gemv_q4_groups_panels_sme2_asm
    stp x19, x20, [sp, #-32]!
    stp x21, x22, [sp, #16]
    load_nibble_values
    load_job
    scvtf z3.s, p0/m, z3.s
    fneg z3.s, p0/m, z3.s
    mov z28.s, #0
    mov z29.s, #0
    mov z30.s, #0
    mov z31.s, #0
    rdvl x6, #1
    lsl x7, x11, #2
    add x7, x7, #2              // vectors of a group
    mul x14, x7, x13
    add x14, x14, #4
    mul x14, x14, x6
    rdvl x12, #6
    mul x22, x7, x6
    lsr x22, x22, #2
    neg x22, x22
    lsr x20, x11, #1
    all_blocks
    ldp x21, x22, [sp, #16]
    ldp x19, x20, [sp], #32
    ret
function_end sl_gemv_q4_groups_panels_sme2_asm

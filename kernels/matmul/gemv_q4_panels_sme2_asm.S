/* kernels/matmul/gemv_q4_panels_sme2_asm.S: one row of int8 times a panel of int4 in groups that is packed
 * for outer products.
 *
 * sl_q4_groups_row_sme2_asm(const struct sl_q4_groups_row *), in streaming mode with ZA on and the values
 * of nibbles in ZT0. What it computes: run_groups() of qd8_panels.c. Two vector groups of ZA: the
 * integers of a group, and the sums in float. z8-z15 are not touched. */
#include "kernels/cpu/asm.h"

.macro word line, p, q, row, lane
    luti4 {z\p\().b-z\q\().b}, zt0, z\line[0]
    sdot za.s[w8, 0, vgx2], {z\p\().b-z\q\().b}, z\row\().b[\lane]
.endm

// 32 k: eight lines of words.
.macro eight_words
    ld1rqw {z0.s}, p0/z, [x1]
    ld1b {z16.b-z19.b}, pn8/z, [x2]
    ld1rqw {z1.s}, p0/z, [x1, #16]
    ld1b {z20.b-z23.b}, pn8/z, [x2, #4, mul vl]
    word 16, 4, 5, 0, 0
    word 17, 6, 7, 0, 1
    word 18, 24, 25, 0, 2
    word 19, 30, 31, 0, 3
    word 20, 4, 5, 1, 0
    word 21, 6, 7, 1, 1
    word 22, 24, 25, 1, 2
    word 23, 30, 31, 1, 3
    add x1, x1, #32
.endm

.macro fold
    mova {z24.d-z25.d}, za.d[w8, 0, vgx2]
    mova za.d[w8, 0, vgx2], {z28.d-z29.d}
    scvtf {z24.s-z25.s}, {z24.s-z25.s}
    fmla za.s[w8, 1, vgx2], {z24.s-z25.s}, {z26.s-z27.s}
.endm

function_begin sl_q4_groups_row_sme2_asm
    ldp x1, x2, [x0]            // the row, the groups
    ldp x3, x4, [x0, #16]       // how many, and turns of 32 k in each
    ldr x5, [x0, #32]           // sums
    ptrue p0.b
    ptrue pn8.b
    mov w8, wzr
    mov z28.s, #0
    mov z29.s, #0
    ld1w {z24.s-z25.s}, pn8/z, [x5]
    mova za.d[w8, 1, vgx2], {z24.d-z25.d}
    mova za.d[w8, 0, vgx2], {z28.d-z29.d}
    addvl x2, x2, #2            // behind the scales
    cbz x3, 90f
    cmp x4, #1
    b.ne 20f
10: ld1w {z26.s-z27.s}, pn8/z, [x2, #-2, mul vl]
    eight_words
    addvl x2, x2, #10
    subs x3, x3, #1
    fold
    b.ne 10b
    b 90f
20: ld1w {z26.s-z27.s}, pn8/z, [x2, #-2, mul vl]
    mov x6, x4
30: eight_words
    addvl x2, x2, #8
    subs x6, x6, #1
    b.ne 30b
    fold
    addvl x2, x2, #2
    subs x3, x3, #1
    b.ne 20b
90: mova {z24.d-z25.d}, za.d[w8, 1, vgx2]
    st1w {z24.s-z25.s}, pn8, [x5]
    ret
function_end sl_q4_groups_row_sme2_asm

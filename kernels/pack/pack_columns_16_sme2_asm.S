/* kernels/pack/pack_columns_16_sme2_asm.S: rows of bytes, of weights [n][k] of any type, into panels of 32
 * columns of words, through ZA, for vectors of 16 words: every tile is whole, so that nothing is counted
 * within one. Where a row is no whole number of words its last is filled up with zeros.
 *
 * sl_pack_columns_16_sme2_asm(const struct sl_pack_columns *job), in streaming mode with ZA on. z8-z15 are
 * not touched. What it computes is stated by sl_mopa_f32_pack_rhs() and its like.
 *
 * A row of weights becomes a column; the tiles za0 za1 stand over za2 za3. How the words behind the last 32
 * are read (x27) and written (x28) is the same for all panels and is found out once. */
#include "kernels/cpu/asm.h"
#include "kernels/pack/distances_asm.inc"

// 32 words of 16 rows from \from on, by \by, to the tiles \left and \right.
.macro four_rows_wide from, by, slice, left, right, a, b, c, d
    .ifnb \a
    ld1b {z16.b, z24.b}, \by/z, [\from, \a]
    .else
    ld1b {z16.b, z24.b}, \by/z, [\from]
    .endif
    ld1b {z17.b, z25.b}, \by/z, [\from, \b]
    ld1b {z18.b, z26.b}, \by/z, [\from, \c]
    ld1b {z19.b, z27.b}, \by/z, [\from, \d]
    mova \left\()h.s[\slice, 0:3], {z16.s-z19.s}
    mova \right\()h.s[\slice, 0:3], {z24.s-z27.s}
.endm

.macro rows_wide from, by, left, right
    four_rows_wide \from, \by, w12, \left, \right, , x7, x8, x9
    four_rows_wide \from, \by, w13, \left, \right, x10, x11, x16, x17
    four_rows_wide \from, \by, w14, \left, \right, x19, x20, x21, x22
    four_rows_wide \from, \by, w15, \left, \right, x23, x24, x25, x26
.endm

.macro four_rows_narrow from, slice, tile, a, b, c, d
    .ifnb \a
    ld1b {z16.b}, p1/z, [\from, \a]
    .else
    ld1b {z16.b}, p1/z, [\from]
    .endif
    ld1b {z17.b}, p1/z, [\from, \b]
    ld1b {z18.b}, p1/z, [\from, \c]
    ld1b {z19.b}, p1/z, [\from, \d]
    mova \tile\()h.s[\slice, 0:3], {z16.s-z19.s}
.endm

.macro rows_narrow from, tile
    four_rows_narrow \from, w12, \tile, , x7, x8, x9
    four_rows_narrow \from, w13, \tile, x10, x11, x16, x17
    four_rows_narrow \from, w14, \tile, x19, x20, x21, x22
    four_rows_narrow \from, w15, \tile, x23, x24, x25, x26
.endm

// Four columns of an upper and a lower tile, the second to the fourth by the predicates named.
.macro four_lines upper, lower, slice, at0, at1, at2, at3, p1, p2, p3
    mova {z16.s-z19.s}, \upper\()v.s[\slice, 0:3]
    mova {z24.s-z27.s}, \lower\()v.s[\slice, 0:3]
    st1w {z16.s, z24.s}, pn9, [x6, #\at0, mul vl]
    st1w {z17.s, z25.s}, \p1, [x6, #\at1, mul vl]
    st1w {z18.s, z26.s}, \p2, [x6, #\at2, mul vl]
    st1w {z19.s, z27.s}, \p3, [x6, #\at3, mul vl]
.endm

.macro whole_lines_out upper, lower
    four_lines \upper, \lower, w12, 0, 2, 4, 6, pn9, pn9, pn9
    four_lines \upper, \lower, w13, 8, 10, 12, 14, pn9, pn9, pn9
    addvl x6, x6, #16
    four_lines \upper, \lower, w14, 0, 2, 4, 6, pn9, pn9, pn9
    four_lines \upper, \lower, w15, 8, 10, 12, 14, pn9, pn9, pn9
    addvl x6, x6, #16
.endm

// The last \quads times four lines of a panel. 128 bytes of code each.
.macro last_lines_out upper, lower, quads
    .p2align 7
    .if \quads == 1
    four_lines \upper, \lower, w12, 0, 2, 4, 6, pn10, pn11, pn12
    .else
    four_lines \upper, \lower, w12, 0, 2, 4, 6, pn9, pn9, pn9
    .if \quads == 2
    four_lines \upper, \lower, w13, 8, 10, 12, 14, pn10, pn11, pn12
    .else
    four_lines \upper, \lower, w13, 8, 10, 12, 14, pn9, pn9, pn9
    addvl x6, x6, #16
    .if \quads == 3
    four_lines \upper, \lower, w14, 0, 2, 4, 6, pn10, pn11, pn12
    .else
    four_lines \upper, \lower, w14, 0, 2, 4, 6, pn9, pn9, pn9
    four_lines \upper, \lower, w15, 8, 10, 12, 14, pn10, pn11, pn12
    .endif
    .endif
    .endif
    b 80f
.endm

// Around the lower rows of a panel: x3 is negative when it is not full.
.macro lower_distances
    tbz x3, #63, 1f
    bl 93f
1:
.endm

.macro upper_distances
    tbz x3, #63, 1f
    bl 95f
1:
.endm

#define HEAD_BYTES 96
#define CHUNKS 104
#define LAST_BYTES 112

// x0, x5: lower and upper rows at the column. x1: the panel's first row. x3: columns left, less 32.
function_begin sl_pack_columns_16_sme2_asm
    stp x19, x20, [sp, #-128]!
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    ldp x1, x2, [x0]            // rows, bytes of each
    ldp x3, x4, [x0, #16]       // rows, bytes of a panel's head
    ldr x6, [x0, #32]           // out
    str x4, [sp, #HEAD_BYTES]
    ptrue pn9.b
    mov w12, wzr
    mov w13, #4
    mov w14, #8
    mov w15, #12
    adr x27, 80f
    str xzr, [sp, #LAST_BYTES]
    lsr x4, x2, #7
    str x4, [sp, #CHUNKS]
    ands x5, x2, #127
    b.eq 9f
    whilelt p1.b, xzr, x5
    whilelt pn8.b, xzr, x5, vlx2
    add x5, x5, #3
    lsr x5, x5, #2              // words
    adr x27, 30f
    adr x7, 40f
    cmp x5, #16
    csel x27, x7, x27, hi
    sub x5, x5, #1
    adr x28, 70f
    lsr x7, x5, #2
    add x28, x28, x7, lsl #7    // one for each four lines
    and x7, x5, #3
    lsl x7, x7, #5
    whilelt pn10.s, xzr, x7, vlx2
    sub x7, x7, #32
    whilelt pn11.s, xzr, x7, vlx2
    sub x7, x7, #32
    whilelt pn12.s, xzr, x7, vlx2
    and x5, x5, #15
    add x7, x5, #1
    lsl x7, x7, #7
    sub x8, x7, #1024           // behind two quads the code has moved on
    cmp x5, #8
    csel x7, x8, x7, hs
    str x7, [sp, #LAST_BYTES]
9:  sub x3, x3, #32
    distances_of_16
10: // a panel of 32 rows
    ldr x30, [sp, #HEAD_BYTES]
    add x6, x6, x30
    mov x5, x1
    add x0, x1, x2, lsl #4
    ldr x4, [sp, #CHUNKS]
    cbnz x4, 20f
    br x27
20: // 32 words
    rows_wide x5, pn9, za0, za1
    lower_distances
    rows_wide x0, pn9, za2, za3
    upper_distances
    whole_lines_out za0, za2
    whole_lines_out za1, za3
    add x5, x5, #128
    add x0, x0, #128
    subs x4, x4, #1
    b.ne 20b
    br x27
30: // up to 16 more
    rows_narrow x5, za0
    lower_distances
    rows_narrow x0, za2
    upper_distances
    br x28
40: // up to 31
    rows_wide x5, pn8, za0, za1
    lower_distances
    rows_wide x0, pn8, za2, za3
    upper_distances
    whole_lines_out za0, za2
    br x28
    .p2align 7
70: last_lines_out za0, za2, 1
    last_lines_out za0, za2, 2
    last_lines_out za0, za2, 3
    last_lines_out za0, za2, 4
    last_lines_out za1, za3, 1
    last_lines_out za1, za3, 2
    last_lines_out za1, za3, 3
    last_lines_out za1, za3, 4
80: ldr x30, [sp, #LAST_BYTES]
    add x6, x6, x30
    add x1, x1, x2, lsl #5
    subs x3, x3, #32
    b.ge 10b
    cmn x3, #16
    b.gt 10b
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp x19, x20, [sp], #128
    ret
93: add x29, x3, #16            // lower rows that exist
    distances x29, x12
    mov w12, wzr
    ret
95: distances_of_16
    ret
function_end sl_pack_columns_16_sme2_asm

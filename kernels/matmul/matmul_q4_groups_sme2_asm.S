/* kernels/matmul/matmul_q4_groups_sme2_asm.S: dynamic int8 products with int4 weights in groups along k, in
 * blocks of VL x 2VL.
 *
 * sl_mopa_q4_groups_sme2_asm(const struct sl_qd8_mopa *), in streaming mode with ZA on. Panels: qd8_mopa.h; what
 * is computed: run_groups() in qd8_panels.c. Of z8-z15 it keeps what the ABI asks for.
 *
 * za0 and za1 hold the integers of one group, za2 and za3 the sums so far in float: a group ends with a
 * multi-vector FMLA from registers to ZA, so nothing goes through memory. */
#include "kernels/cpu/asm.h"
#include "kernels/matmul/qd8_store.h"

.macro load_a p, q, at
    ld1w {z\p\().s-z\q\().s}, pn8/z, [x8, #\at, mul vl]
.endm

.macro load_nibbles p, q, at
    ld1w {z\p\().s-z\q\().s}, pn8/z, [x10, #\at, mul vl]
.endm

.macro decode w, x, y, z
    luti4 {z4.b-z5.b}, zt0, z\w[0]
    luti4 {z6.b-z7.b}, zt0, z\x[0]
    luti4 {z8.b-z9.b}, zt0, z\y[0]
    luti4 {z10.b-z11.b}, zt0, z\z[0]
.endm

.macro word a, b, c
    smopa za0.s, p0/m, p0/m, z\a\().b, z\b\().b
    smopa za1.s, p0/m, p0/m, z\a\().b, z\c\().b
.endm

.macro four_words a, b, c, d
    word \a, 4, 5
    word \b, 6, 7
    word \c, 8, 9
    word \d, 10, 11
.endm

// Four rows of sums of float; z4-z7 as store_begin left them, of which z6 and z7 are the biases.
.macro four_sums t0, t1
    mova {z16.s-z19.s}, \t0\()h.s[w12, 0:3]
    mova {z20.s-z23.s}, \t1\()h.s[w12, 0:3]
    ld1rqw {z2.s}, p0/z, [x14, x12, lsl #2]
    mov z24.d, z6.d
    mov z25.d, z7.d
    mov z26.d, z6.d
    mov z27.d, z7.d
    mov z28.d, z6.d
    mov z29.d, z7.d
    mov z30.d, z6.d
    mov z31.d, z7.d
    fmla z24.s, z16.s, z2.s[0]
    fmla z25.s, z20.s, z2.s[0]
    fmla z26.s, z17.s, z2.s[1]
    fmla z27.s, z21.s, z2.s[1]
    fmla z28.s, z18.s, z2.s[2]
    fmla z29.s, z22.s, z2.s[2]
    fmla z30.s, z19.s, z2.s[3]
    fmla z31.s, z23.s, z2.s[3]
    fclamp {z24.s-z27.s}, z0.s, z1.s
    fclamp {z28.s-z31.s}, z0.s, z1.s
.endm

// 32 k; x8 moves on.
.macro eight_words
    load_nibbles 12, 15, 0
    load_a 16, 19, 0
    load_nibbles 24, 27, 4
    load_a 20, 23, 4
    decode 12, 13, 14, 15
    addvl x8, x8, #8
    four_words 16, 17, 18, 19
    decode 24, 25, 26, 27
    four_words 20, 21, 22, 23
.endm

// The integers of four rows of both tiles, by their scales, to the sums: vector groups \at and on of those from w9.
.macro fold at, next, sum, sum_next
    mova {z16.d-z19.d}, za.d[w9, \at, vgx4]
    mova {z20.d-z23.d}, za.d[w9, \next, vgx4]
    scvtf {z16.s-z19.s}, {z16.s-z19.s}
    scvtf {z20.s-z23.s}, {z20.s-z23.s}
    fmla za.s[w9, \sum, vgx4], {z16.s-z19.s}, z2.s
    fmla za.s[w9, \sum_next, vgx4], {z20.s-z23.s}, z3.s
.endm

// All 16 rows where VL is 16.
.macro fold_16
    mov w9, wzr
    fold 0, 1, 2, 3
    fold 4, 5, 6, 7
    mov w9, #8
    fold 0, 1, 2, 3
    fold 4, 5, 6, 7
.endm

// Four rows of the 16 of a whole block of float, their scales at x14 + \at.
.macro put_rows at, first
    mov w12, #\first
    mova {z16.s-z19.s}, za2h.s[w12, 0:3]
    mova {z24.s-z27.s}, za3h.s[w12, 0:3]
    ld1rw {z20.s}, p0/z, [x14, #(\at)]
    ld1rw {z21.s}, p0/z, [x14, #(\at + 4)]
    ld1rw {z22.s}, p0/z, [x14, #(\at + 8)]
    ld1rw {z23.s}, p0/z, [x14, #(\at + 12)]
    fmad z16.s, p0/m, z20.s, z6.s
    fmad z24.s, p0/m, z20.s, z7.s
    fmad z17.s, p0/m, z21.s, z6.s
    fmad z25.s, p0/m, z21.s, z7.s
    fmad z18.s, p0/m, z22.s, z6.s
    fmad z26.s, p0/m, z22.s, z7.s
    fmad z19.s, p0/m, z23.s, z6.s
    fmad z27.s, p0/m, z23.s, z7.s
    fclamp {z16.s-z19.s}, z0.s, z1.s
    fclamp {z24.s-z27.s}, z0.s, z1.s
    st1w {z16.s, z24.s}, pn9, [x13]
    st1w {z17.s, z25.s}, pn9, [x13, x4, lsl #2]
    st1w {z18.s, z26.s}, pn9, [x13, x21, lsl #2]
    st1w {z19.s, z27.s}, pn9, [x13, x22, lsl #2]
    .if \first < 12
    add x13, x13, x23
    .endif
.endm

function_begin sl_mopa_q4_groups_sme2_asm
    save_registers
    ldr x17, [x0, #80]
    ldr zt0, [x17]
    load_job
    lsr x16, x7, #3             // eights of words of a group
    mul x26, x7, x28
    add x26, x26, #3
    mul x26, x26, x15
    lsl x26, x26, #2            // bytes of a left panel
    cmp x15, #16
    ccmp x16, #1, #0, eq
    cset w19, eq                // VL is 16 and a group is 32 k
10: // a tile of rows
    mov x11, xzr
    mov x10, x2
20: // two tiles of columns
    mov x0, x10
    addvl x8, x1, #3
    zero {za}
    ld1w {z4.s-z5.s}, pn8/z, [x10]
    ld1w {z16.s}, p0/z, [x1, #2, mul vl]
    addvl x10, x10, #6          // to a group's words; its scales are before them
    mov x20, x28
    cbz x28, 50f
    fmopa za2.s, p0/m, p0/m, z16.s, z4.s
    fmopa za3.s, p0/m, p0/m, z16.s, z5.s
    cbz w19, 30f
25: ld1w {z2.s-z3.s}, pn8/z, [x10, #-2, mul vl]
    eight_words
    addvl x10, x10, #10
    fold_16
    zero {za0.s, za1.s}
    subs x20, x20, #1
    b.ne 25b
    b 50f
30: // a group
    ld1w {z2.s-z3.s}, pn8/z, [x10, #-2, mul vl]
    mov x17, x16
35: eight_words
    addvl x10, x10, #8
    subs x17, x17, #1
    b.ne 35b
    addvl x10, x10, #2
    mov w9, wzr
40: fold 0, 1, 2, 3
    add w9, w9, #4
    cmp w9, w15
    b.lo 40b
    zero {za0.s, za1.s}
    subs x20, x20, #1
    b.ne 30b
50: addvl x10, x10, #-2
    store_begin
    cmp x5, #16
    ccmp w25, #0, #0, hs
    ccmp x15, #16, #0, eq
    b.ne 60f
    put_rows 0, 0
    put_rows 16, 4
    put_rows 32, 8
    put_rows 48, 12
    b 65f
60: cmp x5, x15
    csel x27, x5, x15, lo
    store_wide four_sums, za2, za3
65: add x11, x11, x15, lsl #1
    cmp x11, x6
    b.lo 20b
    add x1, x1, x26
    add x3, x3, x24
    subs x5, x5, x15
    b.hi 10b
    restore_registers
    ret
function_end sl_mopa_q4_groups_sme2_asm

/* kernels/matmul/gemv_panels8_sme2.h: one row of int8 times panels of int8 that are packed for outer products,
 * for assembly files: the words of four k.
 *
 * Four panels of two vectors are walked together: a load brings two words of one panel to every fourth
 * register, and four such loads make vector groups of the same lane of all. So vector group 0 of ZA has the
 * panels' first vectors and group 1 their second ones, and panel i's stand in the rows of ZA i VL and i VL + 1.
 * Of two panels, or one, each has a group of two vectors. A panel of a single vector is summed in z28.
 *
 * x10 the row, x25 its end, x2 the first panel, x21 bytes from a panel's begin to its words, x22 from panel to
 * panel; words: x20 by 16, x11 the rest by four, x5 the rest. x0, x17, x19, x23: words of the panels walked. The including
 * file defines the macros start and finish of so many panels, 0 for the single vector; finish ends with x9
 * behind its columns. */
#pragma once

.macro save_registers8
    stp x19, x20, [sp, #-64]!
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    str x25, [sp, #48]
.endm

.macro restore_registers8
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldr x25, [sp, #48]
    ldp x19, x20, [sp], #64
.endm

// Of x5 bytes of the row, before whose words a panel has x12 lines. Panels are 2VL wide.
.macro measure_panels8
    add x25, x10, x5
    lsr x20, x5, #6
    add x5, x5, #3
    lsr x5, x5, #2
    rdvl x24, #2
    add x22, x5, x12
    mul x21, x12, x24
    mul x22, x22, x24
    lsl x24, x24, #4            // 16 words
    sub x11, x5, x20, lsl #4
    lsr x11, x11, #2
    and x5, x5, #3
.endm

// Those after x0.
.macro other_panels panels
    .if \panels > 1
    add x17, x0, x22
    .endif
    .if \panels > 2
    add x19, x17, x22
    add x23, x19, x22
    .endif
.endm

.macro lines2 lane, next, row, at
    ld1b {z16.b, z20.b, z24.b, z28.b}, pn8/z, [x0, #\at, mul vl]
    ld1b {z17.b, z21.b, z25.b, z29.b}, pn8/z, [x17, #\at, mul vl]
    ld1b {z18.b, z22.b, z26.b, z30.b}, pn8/z, [x19, #\at, mul vl]
    ld1b {z19.b, z23.b, z27.b, z31.b}, pn8/z, [x23, #\at, mul vl]
    sdot za.s[w8, 0, vgx4], {z16.b-z19.b}, z\row\().b[\lane]
    sdot za.s[w8, 1, vgx4], {z20.b-z23.b}, z\row\().b[\lane]
    sdot za.s[w8, 0, vgx4], {z24.b-z27.b}, z\row\().b[\next]
    sdot za.s[w8, 1, vgx4], {z28.b-z31.b}, z\row\().b[\next]
.endm

.macro words4_of g, from, row, at
    ld1b {z16.b-z19.b}, pn8/z, [\from, #\at, mul vl]
    ld1b {z20.b-z23.b}, pn8/z, [\from, #\at + 4, mul vl]
    sdot za.s[w8, \g, vgx2], {z16.b-z17.b}, z\row\().b[0]
    sdot za.s[w8, \g, vgx2], {z18.b-z19.b}, z\row\().b[1]
    sdot za.s[w8, \g, vgx2], {z20.b-z21.b}, z\row\().b[2]
    sdot za.s[w8, \g, vgx2], {z22.b-z23.b}, z\row\().b[3]
.endm

// Four words of each panel, its vectors from \at on.
.macro words4 panels, row, at
    .if \panels == 4
    lines2 0, 1, \row, \at
    lines2 2, 3, \row, (\at + 4)
    .elseif \panels > 0
    words4_of 0, x0, \row, \at
    .if \panels == 2
    words4_of 1, x17, \row, \at
    .endif
    .else
    ld1b {z16.b-z19.b}, pn8/z, [x0, #\at / 2, mul vl]
    sdot z28.s, z16.b, z\row\().b[0]
    sdot z28.s, z17.b, z\row\().b[1]
    sdot z28.s, z18.b, z\row\().b[2]
    sdot z28.s, z19.b, z\row\().b[3]
    .endif
.endm

.macro words1 panels, lane
    .if \panels == 4
    ld1b {z16.b, z24.b}, pn8/z, [x0]
    ld1b {z17.b, z25.b}, pn8/z, [x17]
    ld1b {z18.b, z26.b}, pn8/z, [x19]
    ld1b {z19.b, z27.b}, pn8/z, [x23]
    sdot za.s[w8, 0, vgx4], {z16.b-z19.b}, z0.b[\lane]
    sdot za.s[w8, 1, vgx4], {z24.b-z27.b}, z0.b[\lane]
    .elseif \panels > 0
    ld1b {z16.b-z17.b}, pn8/z, [x0]
    sdot za.s[w8, 0, vgx2], {z16.b-z17.b}, z0.b[\lane]
    .if \panels == 2
    ld1b {z18.b-z19.b}, pn8/z, [x17]
    sdot za.s[w8, 1, vgx2], {z18.b-z19.b}, z0.b[\lane]
    .endif
    .else
    ld1b {z16.b}, p0/z, [x0]
    sdot z28.s, z16.b, z0.b[\lane]
    .endif
.endm

.macro advance8 panels, words
    .if \panels == 0
    addvl x0, x0, #\words
    .elseif \words == 16
    add x0, x0, x24
    .else
    addvl x0, x0, #(2 * \words)
    .endif
    other_panels \panels
.endm

.macro block8 panels
    start \panels
    .if \panels == 0
    add x0, x2, x21, lsr #1
    .else
    add x0, x2, x21
    .endif
    other_panels \panels
    mov x1, x10
    mov x6, x20
    cbz x6, 2f
1:  ld1rqw {z0.s}, p0/z, [x1]
    ld1rqw {z6.s}, p0/z, [x1, #16]
    words4 \panels, 0, 0
    ld1rqw {z7.s}, p0/z, [x1, #32]
    words4 \panels, 6, 8
    ld1rqw {z0.s}, p0/z, [x1, #48]
    words4 \panels, 7, 16
    add x1, x1, #64
    words4 \panels, 0, 24
    subs x6, x6, #1
    advance8 \panels, 16
    b.ne 1b
2:  mov x6, x11
    cbz x6, 4f
3:  whilelo p2.b, x1, x25
    ld1rqb {z0.b}, p2/z, [x1]
    words4 \panels, 0, 0
    advance8 \panels, 4
    add x1, x1, #16
    subs x6, x6, #1
    b.ne 3b
4:  cbz x5, 6f
    whilelo p2.b, x1, x25
    ld1rqb {z0.b}, p2/z, [x1]
    words1 \panels, 0
    tbz x5, #1, 6f
    advance8 \panels, 1
    words1 \panels, 1
    tbz x5, #0, 6f
    advance8 \panels, 1
    words1 \panels, 2
6:  finish \panels
    .if \panels == 4
    add x2, x2, x22, lsl #2
    .elseif \panels == 2
    add x2, x2, x22, lsl #1
    .else
    add x2, x2, x22
    .endif
.endm

// Panels by four, by two, by one, until x9 reaches n in x4; the last one may be a single vector.
.macro all_blocks8
10: sub x6, x4, x9
    cntw x7, all, mul #7
    cmp x6, x7
    b.ls 20f
    block8 4
    cmp x9, x4
    b.lo 10b
    b 90f
20: cntw x7, all, mul #3
    cmp x6, x7
    b.ls 30f
    block8 2
    cmp x9, x4
    b.lo 10b
    b 90f
30: cntw x7
    cmp x6, x7
    b.ls 40f
    block8 1
    cmp x9, x4
    b.lo 10b
    b 90f
40: block8 0
90:
.endm

// Panels 0 and 1, or 2 and 3, of four: z16-z19.
.macro sums_of_pair8 pair
    .if \pair == 0
    mov w12, wzr
    cntw x14
    .else
    cntw x12, all, mul #2
    cntw x14, all, mul #3
    .endif
    mova {z16.b-z17.b}, za0h.b[w12, 0:1]
    mova {z18.b-z19.b}, za0h.b[w14, 0:1]
.endm

// Of two panels, or one.
.macro sums_of_last8 panels
    .if \panels == 0
    mov z16.d, z28.d
    .else
    mova {z16.d-z17.d}, za.d[w8, 0, vgx2]
    .endif
    .if \panels == 2
    mova {z18.d-z19.d}, za.d[w8, 1, vgx2]
    .endif
.endm

/* kernels/matmul/gemv_words8_sme2.h: one row of int8 times panels of int8, for assembly files: the
 * words of four k. The including file defines the macro block8, which uses all_words8, and ends
 * with x9 behind its columns. */
#pragma once

// int8: x2 stands 32 vectors past the next weights, so that four words are in a load's reach, and
// of a single group sixteen. \lane: that of the word in z\row.
.macro group8 z, end, k, g, groups, row, lane
    .if \g < \groups
    ld1b {z\z\().b-z\end\().b}, pn8/z, [x2, #((\k * \groups + \g) * 4 - 32), mul vl]
    sdot za.s[w8, \g, vgx4], {z\z\().b-z\end\().b}, z\row\().b[\lane]
    .endif
.endm

.macro word8 k, groups, row=0
    group8 16, 19, \k, 0, \groups, \row, \k
    group8 20, 23, \k, 1, \groups, \row, \k
    group8 24, 27, \k, 2, \groups, \row, \k
    group8 28, 31, \k, 3, \groups, \row, \k
.endm

.macro words8 first, row
    group8 16, 19, (\first), 0, 1, \row, 0
    group8 20, 23, (\first + 1), 0, 1, \row, 1
    group8 24, 27, (\first + 2), 0, 1, \row, 2
    group8 28, 31, (\first + 3), 0, 1, \row, 3
.endm

.macro four_words8 groups, row=0
    word8 0, \groups, \row
    word8 1, \groups, \row
    word8 2, \groups, \row
    word8 3, \groups, \row
    add x2, x2, x17
.endm

// A single group shares what a turn costs beside its weights with none: 16 words a turn.
.macro single_group8
    lsr x6, x11, #2
    cbz x6, 6f
5:  ld1rqw {z0.s}, p0/z, [x1]
    ld1rqw {z6.s}, p0/z, [x1, #16]
    words8 0, 0
    ld1rqw {z7.s}, p0/z, [x1, #32]
    words8 4, 6
    ld1rqw {z0.s}, p0/z, [x1, #48]
    words8 8, 7
    subs x6, x6, #1
    words8 12, 0
    add x1, x1, #64
    add x2, x2, x7, lsl #4
    b.ne 5b
6:  and x6, x11, #3
    cbz x6, 2f
7:  ld1rqw {z0.s}, p0/z, [x1]
    add x1, x1, #16
    four_words8 1
    subs x6, x6, #1
    b.ne 7b
.endm

// Adds all words of the row at x1 times a panel's, from x2 on: x11 turns of four words, then x5 words.
// x7: bytes of a line.
.macro all_words8 groups
    lsl x17, x7, #2
    add x2, x2, x12
    .if \groups == 1
    single_group8
    .else
    lsr x6, x11, #1
    cbz x6, 5f
1:  ld1rqw {z0.s}, p0/z, [x1]
    ld1rqw {z6.s}, p0/z, [x1, #16]
    four_words8 \groups
    add x1, x1, #32
    subs x6, x6, #1
    four_words8 \groups, 6
    b.ne 1b
5:  tbz x11, #0, 2f
    ld1rqw {z0.s}, p0/z, [x1]
    add x1, x1, #16
    four_words8 \groups
    .endif
2:  cbz x5, 4f
    mov x6, x5
3:  ld1rw {z0.s}, p0/z, [x1]
    word8 0, \groups
    add x1, x1, #4
    add x2, x2, x7
    subs x6, x6, #1
    b.ne 3b
4:  sub x2, x2, x12
.endm

// Blocks of up to 16 VL columns, of which x9 is the first, until x9 reaches n in x4.
.macro all_blocks8
    rdvl x12, #16
    lsl x12, x12, #1            // 32 vectors
10: sub x6, x4, x9
    cntw x17, all, mul #16
    cmp x6, x17
    b.lo 15f
    block8 4, 1
    cmp x9, x4
    b.lo 10b
    ret
15: cntw x17, all, mul #4
    cmp x6, x17
    b.ls 40f
    cmp x6, x17, lsl #1
    b.ls 30f
    add x17, x17, x17, lsl #1
    cmp x6, x17
    b.ls 20f
    block8 4
    cmp x9, x4
    b.lo 10b
    ret
20: block8 3
    ret
30: block8 2
    ret
40: block8 1
    ret
.endm

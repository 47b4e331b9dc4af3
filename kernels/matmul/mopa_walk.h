/* kernels/matmul/mopa_walk.h: the steps along k of a block of outer products, for assembly files.
 *
 * Before it is included stand: MOPA, the outer product into tiles of 32 bits; LOAD, the load of its
 * operands; T, their suffix. A step is 32 bits of each row and column: 1 k of f32, 2 of halves, 4 of
 * bytes.
 *
 * x8, x9: left panels of the two tiles of rows, VL wide; x10: the right panel, 2VL wide (VL for _2x1
 * and _1x1). x16: steps / 16, x17: scratch, x19: 32 vectors in bytes, x20: steps mod 16. p0, pn8: all
 * true. Overwrites z4-z31. x10 ends behind the panel. The four tiles: za0 za1 over za2 za3. */
#pragma once

// One k of a block: \a0, \a1 down, \b0, \b1 across.
.macro mopa_2x2 a0, a1, b0, b1
    MOPA za0.s, p0/m, p0/m, \a0, \b0
    MOPA za1.s, p0/m, p0/m, \a0, \b1
    MOPA za2.s, p0/m, p0/m, \a1, \b0
    MOPA za3.s, p0/m, p0/m, \a1, \b1
.endm

.macro mopa_1x2 a0, b0, b1
    MOPA za0.s, p0/m, p0/m, \a0, \b0
    MOPA za1.s, p0/m, p0/m, \a0, \b1
.endm

.macro mopa_2x1 a0, a1, b0
    MOPA za0.s, p0/m, p0/m, \a0, \b0
    MOPA za2.s, p0/m, p0/m, \a1, \b0
.endm

// Loads of four vectors from the left panels and the right one. They stand early: the next group's go
// between the outer products of this one.
.macro load_a p, q, at
    LOAD {z\p\().T-z\q\().T}, pn8/z, [x8, #\at, mul vl]
.endm

.macro load_a1 p, q, at
    LOAD {z\p\().T-z\q\().T}, pn8/z, [x9, #\at, mul vl]
.endm

.macro load_b p, q, at
    LOAD {z\p\().T-z\q\().T}, pn8/z, [x10, #\at, mul vl]
.endm

// Outer products of four k in A quads z16.., z20.. (bank 0) or z24.., z28.. (bank 1); B pairs named.
.macro first_half_0 b0, b1, b2, b3
    mopa_2x2 z16.T, z20.T, z\b0\().T, z\b1\().T
    mopa_2x2 z17.T, z21.T, z\b2\().T, z\b3\().T
.endm
.macro second_half_0 b0, b1, b2, b3
    mopa_2x2 z18.T, z22.T, z\b0\().T, z\b1\().T
    mopa_2x2 z19.T, z23.T, z\b2\().T, z\b3\().T
.endm
.macro first_half_1 b0, b1, b2, b3
    mopa_2x2 z24.T, z28.T, z\b0\().T, z\b1\().T
    mopa_2x2 z25.T, z29.T, z\b2\().T, z\b3\().T
.endm
.macro second_half_1 b0, b1, b2, b3
    mopa_2x2 z26.T, z30.T, z\b0\().T, z\b1\().T
    mopa_2x2 z27.T, z31.T, z\b2\().T, z\b3\().T
.endm

.macro steps16_2x2
    load_a 16, 19, 0
    load_a1 20, 23, 0
    load_b 4, 7, 0
    load_b 8, 11, 4
    first_half_0 4, 5, 6, 7
    load_a 24, 27, 4
    load_a1 28, 31, 4
    load_b 12, 15, 8
    second_half_0 8, 9, 10, 11
    load_b 4, 7, 12
    first_half_1 12, 13, 14, 15
    load_a 16, 19, 8
    load_a1 20, 23, 8
    load_b 8, 11, 16
    second_half_1 4, 5, 6, 7
    load_b 12, 15, 20
    first_half_0 8, 9, 10, 11
    load_a 24, 27, 12
    load_a1 28, 31, 12
    load_b 4, 7, 24
    second_half_0 12, 13, 14, 15
    load_b 8, 11, 28
    addvl x8, x8, #16
    addvl x9, x9, #16
    add x10, x10, x19
    first_half_1 4, 5, 6, 7
    second_half_1 8, 9, 10, 11
.endm

.macro steps8_2x2
    load_a 16, 19, 0
    load_a1 20, 23, 0
    load_b 4, 7, 0
    load_b 8, 11, 4
    first_half_0 4, 5, 6, 7
    load_a 24, 27, 4
    load_a1 28, 31, 4
    load_b 12, 15, 8
    second_half_0 8, 9, 10, 11
    load_b 4, 7, 12
    addvl x8, x8, #8
    addvl x9, x9, #8
    addvl x10, x10, #16
    first_half_1 12, 13, 14, 15
    second_half_1 4, 5, 6, 7
.endm

.macro steps4_2x2
    load_a 16, 19, 0
    load_a1 20, 23, 0
    load_b 4, 7, 0
    load_b 8, 11, 4
    addvl x8, x8, #4
    addvl x9, x9, #4
    addvl x10, x10, #8
    first_half_0 4, 5, 6, 7
    second_half_0 8, 9, 10, 11
.endm

.macro steps2_2x2
    LOAD {z16.T-z17.T}, pn8/z, [x8]
    LOAD {z20.T-z21.T}, pn8/z, [x9]
    load_b 4, 7, 0
    addvl x8, x8, #2
    addvl x9, x9, #2
    addvl x10, x10, #4
    first_half_0 4, 5, 6, 7
.endm

.macro steps1_2x2
    LOAD {z16.T}, p0/z, [x8]
    LOAD {z20.T}, p0/z, [x9]
    LOAD {z4.T-z5.T}, pn8/z, [x10]
    addvl x10, x10, #2
    mopa_2x2 z16.T, z20.T, z4.T, z5.T
.endm

// One tile of rows, two of columns.
.macro four_1x2 a0, a1, a2, a3
    mopa_1x2 \a0, z4.T, z5.T
    mopa_1x2 \a1, z6.T, z7.T
    mopa_1x2 \a2, z8.T, z9.T
    mopa_1x2 \a3, z10.T, z11.T
.endm

.macro steps16_1x2
    load_a 16, 19, 0
    load_b 4, 7, 0
    load_b 8, 11, 4
    load_a 20, 23, 4
    four_1x2 z16.T, z17.T, z18.T, z19.T
    load_b 4, 7, 8
    load_b 8, 11, 12
    load_a 24, 27, 8
    four_1x2 z20.T, z21.T, z22.T, z23.T
    load_b 4, 7, 16
    load_b 8, 11, 20
    load_a 28, 31, 12
    four_1x2 z24.T, z25.T, z26.T, z27.T
    load_b 4, 7, 24
    load_b 8, 11, 28
    addvl x8, x8, #16
    add x10, x10, x19
    four_1x2 z28.T, z29.T, z30.T, z31.T
.endm

.macro steps8_1x2
    steps4_1x2
    steps4_1x2
.endm

.macro steps4_1x2
    load_a 16, 19, 0
    load_b 4, 7, 0
    load_b 8, 11, 4
    addvl x8, x8, #4
    addvl x10, x10, #8
    four_1x2 z16.T, z17.T, z18.T, z19.T
.endm

.macro steps2_1x2
    LOAD {z16.T-z17.T}, pn8/z, [x8]
    load_b 4, 7, 0
    addvl x8, x8, #2
    addvl x10, x10, #4
    mopa_1x2 z16.T, z4.T, z5.T
    mopa_1x2 z17.T, z6.T, z7.T
.endm

.macro steps1_1x2
    LOAD {z16.T}, p0/z, [x8]
    LOAD {z4.T-z5.T}, pn8/z, [x10]
    addvl x10, x10, #2
    mopa_1x2 z16.T, z4.T, z5.T
.endm

// Two tiles of rows, one of columns; the right panel is VL wide.
.macro four_2x1 b0, b1, b2, b3
    mopa_2x1 z16.T, z20.T, \b0
    mopa_2x1 z17.T, z21.T, \b1
    mopa_2x1 z18.T, z22.T, \b2
    mopa_2x1 z19.T, z23.T, \b3
.endm

.macro steps16_2x1
    load_b 4, 7, 0
    load_a 16, 19, 0
    load_a1 20, 23, 0
    load_b 8, 11, 4
    four_2x1 z4.T, z5.T, z6.T, z7.T
    load_a 16, 19, 4
    load_a1 20, 23, 4
    load_b 12, 15, 8
    four_2x1 z8.T, z9.T, z10.T, z11.T
    load_a 16, 19, 8
    load_a1 20, 23, 8
    load_b 4, 7, 12
    four_2x1 z12.T, z13.T, z14.T, z15.T
    load_a 16, 19, 12
    load_a1 20, 23, 12
    addvl x8, x8, #16
    addvl x9, x9, #16
    addvl x10, x10, #16
    four_2x1 z4.T, z5.T, z6.T, z7.T
.endm

.macro steps8_2x1
    steps4_2x1
    steps4_2x1
.endm

.macro steps4_2x1
    load_b 4, 7, 0
    load_a 16, 19, 0
    load_a1 20, 23, 0
    addvl x8, x8, #4
    addvl x9, x9, #4
    addvl x10, x10, #4
    four_2x1 z4.T, z5.T, z6.T, z7.T
.endm

.macro steps2_2x1
    LOAD {z4.T-z5.T}, pn8/z, [x10]
    LOAD {z16.T-z17.T}, pn8/z, [x8]
    LOAD {z20.T-z21.T}, pn8/z, [x9]
    addvl x8, x8, #2
    addvl x9, x9, #2
    addvl x10, x10, #2
    mopa_2x1 z16.T, z20.T, z4.T
    mopa_2x1 z17.T, z21.T, z5.T
.endm

.macro steps1_2x1
    LOAD {z4.T}, p0/z, [x10]
    LOAD {z16.T}, p0/z, [x8]
    LOAD {z20.T}, p0/z, [x9]
    mopa_2x1 z16.T, z20.T, z4.T
.endm

// One tile.
.macro four_1x1 p, q, r, s
    MOPA za0.s, p0/m, p0/m, z16.T, z\p\().T
    MOPA za0.s, p0/m, p0/m, z17.T, z\q\().T
    MOPA za0.s, p0/m, p0/m, z18.T, z\r\().T
    MOPA za0.s, p0/m, p0/m, z19.T, z\s\().T
.endm

.macro steps16_1x1
    load_a 16, 19, 0
    load_b 4, 7, 0
    load_b 8, 11, 4
    four_1x1 4, 5, 6, 7
    load_a 16, 19, 4
    load_b 12, 15, 8
    four_1x1 8, 9, 10, 11
    load_a 16, 19, 8
    load_b 4, 7, 12
    four_1x1 12, 13, 14, 15
    load_a 16, 19, 12
    addvl x8, x8, #16
    addvl x10, x10, #16
    four_1x1 4, 5, 6, 7
.endm

.macro steps8_1x1
    steps4_1x1
    steps4_1x1
.endm

.macro steps4_1x1
    load_a 16, 19, 0
    load_b 4, 7, 0
    addvl x8, x8, #4
    addvl x10, x10, #4
    four_1x1 4, 5, 6, 7
.endm

.macro steps2_1x1
    LOAD {z16.T-z17.T}, pn8/z, [x8]
    LOAD {z4.T-z5.T}, pn8/z, [x10]
    addvl x8, x8, #2
    addvl x10, x10, #2
    MOPA za0.s, p0/m, p0/m, z16.T, z4.T
    MOPA za0.s, p0/m, p0/m, z17.T, z5.T
.endm

.macro steps1_1x1
    LOAD {z16.T}, p0/z, [x8]
    LOAD {z4.T}, p0/z, [x10]
    MOPA za0.s, p0/m, p0/m, z16.T, z4.T
.endm

// All k of a block: x16 times sixteen, then the rest by the bits of x20 = k mod 16.
.macro all_steps walk
    cbz x16, 2f
    mov x17, x16
1:  subs x17, x17, #1
    steps16_\walk
    b.ne 1b
2:  cbz x20, 7f
    tbz x20, #3, 3f
    steps8_\walk
3:  tbz x20, #2, 4f
    steps4_\walk
4:  tbz x20, #1, 5f
    steps2_\walk
5:  tbz x20, #0, 7f
    steps1_\walk
7:
.endm

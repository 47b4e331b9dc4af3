/* kernels/matmul/qd8_store.h: what the dynamic int8 products share, for assembly files: the job,
 * and blocks of sums from ZA to rows of float or half.
 *
 * x1 left panels, x2 right ones, x3 dst, x4 its stride in elements, x5 rows left, x6 n, x7 words,
 * x11 the first column, x15 VL, x21-x23 two and three strides and the bytes of four, x24 bytes of
 * VL rows of dst, w25 half, x28 the job's corrections, w29 1 where there is a clamp. p0, pn8: all.
 * z0 and z1: the clamp. */
#pragma once

.macro save_registers
    stp d8, d9, [sp, #-160]!
    stp d10, d11, [sp, #16]
    stp d12, d13, [sp, #32]
    stp d14, d15, [sp, #48]
    stp x19, x20, [sp, #64]
    stp x21, x22, [sp, #80]
    stp x23, x24, [sp, #96]
    stp x25, x26, [sp, #112]
    stp x27, x28, [sp, #128]
    stp x29, x30, [sp, #144]
.endm

.macro restore_registers
    ldp d10, d11, [sp, #16]
    ldp d12, d13, [sp, #32]
    ldp d14, d15, [sp, #48]
    ldp x19, x20, [sp, #64]
    ldp x21, x22, [sp, #80]
    ldp x23, x24, [sp, #96]
    ldp x25, x26, [sp, #112]
    ldp x27, x28, [sp, #128]
    ldp x29, x30, [sp, #144]
    ldp d8, d9, [sp], #160
.endm

.macro load_job
    ldp x1, x2, [x0]
    ldp x3, x4, [x0, #16]
    ldp x5, x6, [x0, #32]
    ldp x7, x28, [x0, #48]
    ldp s0, s1, [x0, #64]
    ldp w29, w30, [x0, #64]
    mov w8, #0x7fc00000         // NaN: no bound
    cmp w29, w8
    ccmp w30, w8, #0, eq
    cset w29, ne
    ldr w25, [x0, #72]
    mov z0.s, s0
    mov z1.s, s1
    ptrue p0.b
    ptrue pn8.b
    cntw x15
    mov x30, #2
    sub x30, x30, x25
    lsl x21, x4, #1
    add x22, x21, x4
    lsl x23, x21, #1
    lsl x23, x23, x30           // bytes of four rows
    mul x24, x15, x23
    lsr x24, x24, #2
.endm

// The block's place in dst, x13, its columns' predicates, scales and biases; x14: its rows' scales.
.macro place_of_block
    mov x14, x1
    lsl x13, x11, x30           // x30: the shift of an element of dst
    add x13, x13, x3
.endm

.macro store_begin
    ld1w {z4.s-z7.s}, pn8/z, [x0]
    whilelt pn9.s, x11, x6, vlx2
    place_of_block
.endm

.macro store_begin_narrow
    ld1w {z4.s-z5.s}, pn8/z, [x0]
    whilelt p1.s, x11, x6
    place_of_block
.endm

// Row \i of four: two vectors of integer sums \a, \b to z\d and z\e.
.macro scale_pair a, b, i, d, e
    fmul z\d\().s, z\a\().s, z2.s[\i]
    fmul z\e\().s, z\b\().s, z2.s[\i]
    fmad z\d\().s, p0/m, z4.s, z6.s
    fmad z\e\().s, p0/m, z5.s, z7.s
.endm

// Four rows from w12 on, in z24-z31 by pairs; \scales: where the rows' scales are.
.macro four_wide t0, t1, scales=x14
    mova {z16.s-z19.s}, \t0\()h.s[w12, 0:3]
    mova {z20.s-z23.s}, \t1\()h.s[w12, 0:3]
    ld1rqw {z2.s}, p0/z, [\scales, x12, lsl #2]
    scvtf {z16.s-z19.s}, {z16.s-z19.s}
    scvtf {z20.s-z23.s}, {z20.s-z23.s}
    scale_pair 16, 20, 0, 24, 25
    scale_pair 17, 21, 1, 26, 27
    scale_pair 18, 22, 2, 28, 29
    scale_pair 19, 23, 3, 30, 31
    fclamp {z24.s-z27.s}, z0.s, z1.s
    fclamp {z28.s-z31.s}, z0.s, z1.s
.endm

// Four rows of float to \at.
.macro store_four_rows at
    st1w {z24.s-z25.s}, pn9, [\at]
    st1w {z26.s-z27.s}, pn9, [\at, x4, lsl #2]
    st1w {z28.s-z29.s}, pn9, [\at, x21, lsl #2]
    st1w {z30.s-z31.s}, pn9, [\at, x22, lsl #2]
.endm

// A whole block of 2VL rows of float, VL at least 8: eight rows of each tile row a turn. x9 and x17 are free.
.macro store_block
    add x9, x1, x26
    add x17, x13, x24
    mov w12, wzr
1:  .rept 2
    four_wide za0, za1
    store_four_rows x13
    four_wide za2, za3, x9
    add w12, w12, #4
    store_four_rows x17
    add x13, x13, x23
    add x17, x17, x23
    .endr
    cmp w12, w15
    b.lo 1b
.endm

// The sums of a group of rows by the scales of its rows, which are at x27 + \scales.
.macro scale_group first, last, index, at, scales
    ld1rw {z12.s}, p0/z, [x27, #\scales]
    ld1rw {z13.s}, p0/z, [x27, #(\scales + 4)]
    ld1rw {z14.s}, p0/z, [x27, #(\scales + 8)]
    ld1rw {z15.s}, p0/z, [x27, #(\scales + 12)]
    fmla za.s[\index, \at, vgx4], {z\first\().s-z\last\().s}, {z12.s-z15.s}
.endm

// The same by the scales of the columns.
.macro scale_columns first, last, index, at, scales
    fmla za.s[\index, \at, vgx4], {z\first\().s-z\last\().s}, \scales
.endm

.macro slices_of_16 number
    mova {z16.s-z19.s}, za\number\()h.s[w12, 0:3]
    mova {z20.s-z23.s}, za\number\()h.s[w13, 0:3]
    mova {z24.s-z27.s}, za\number\()h.s[w14, 0:3]
    mova {z28.s-z31.s}, za\number\()h.s[w15, 0:3]
.endm

// Tile \number of 16 rows from integer sums to floats, in place: a multiplication of four vectors in ZA takes a
// unit less time than one of each in registers. The vectors of a group lie 16 apart, which the second pass
// undoes. z3: ones.
.macro scale_tile number, scales, biases
    slices_of_16 \number
    scvtf {z16.s-z19.s}, {z16.s-z19.s}
    scvtf {z20.s-z23.s}, {z20.s-z23.s}
    scvtf {z24.s-z27.s}, {z24.s-z27.s}
    scvtf {z28.s-z31.s}, {z28.s-z31.s}
    zero {za\number\().s}
    scale_group 16, 19, w8, \number, 0
    scale_group 20, 23, w8, \number + 4, 16
    scale_group 24, 27, w9, \number, 32
    scale_group 28, 31, w9, \number + 4, 48
    slices_of_16 \number
    zero {za\number\().s}
    fmopa za\number\().s, p0/m, p0/m, z3.s, \biases
    scale_columns 16, 19, w8, \number, \scales
    scale_columns 20, 23, w8, \number + 4, \scales
    scale_columns 24, 27, w9, \number, \scales
    scale_columns 28, 31, w9, \number + 4, \scales
.endm

// Four rows of floats of two tiles to x17.
.macro store_slices t0, t1, slice, with_clamp
    mova {z16.s-z19.s}, \t0\()h.s[\slice, 0:3]
    mova {z24.s-z27.s}, \t1\()h.s[\slice, 0:3]
    .if \with_clamp
    fclamp {z16.s-z19.s}, z0.s, z1.s
    fclamp {z24.s-z27.s}, z0.s, z1.s
    .endif
    st1w {z16.s, z24.s}, pn9, [x17]
    st1w {z17.s, z25.s}, pn9, [x17, x4, lsl #2]
    st1w {z18.s, z26.s}, pn9, [x17, x21, lsl #2]
    st1w {z19.s, z27.s}, pn9, [x17, x22, lsl #2]
    add x17, x17, x23
.endm

.macro store_tiles t0, t1, with_clamp
    store_slices \t0, \t1, w12, \with_clamp
    store_slices \t0, \t1, w13, \with_clamp
    store_slices \t0, \t1, w14, \with_clamp
    store_slices \t0, \t1, w15, \with_clamp
.endm

// A whole block of 32 rows of float where VL is 16. x8, x9, x13, x14, x17 and x27 are free.
.macro store_block_of_16
    mov x17, x13
    mov x27, x14
    mov w8, wzr
    mov w9, #8
    mov w12, wzr
    mov w13, #4
    mov w14, #8
    mov w15, #12
    scale_tile 0, z4.s, z6.s
    scale_tile 1, z5.s, z7.s
    add x27, x27, x26
    scale_tile 2, z4.s, z6.s
    scale_tile 3, z5.s, z7.s
    cbz w29, 1f
    store_tiles za0, za1, 1
    store_tiles za2, za3, 1
    b 2f
1:  store_tiles za0, za1, 0
    store_tiles za2, za3, 0
2:  mov w15, #16
.endm

// w27 rows of one tile row to x13; `four` makes them, four at a time, in z24-z31 by pairs.
.macro store_wide four, t0, t1
    mov w12, wzr
    cbnz w25, 5f
1:  \four \t0, \t1
    add w12, w12, #4
    cmp w12, w27
    b.hi 2f
    store_four_rows x13
    add x13, x13, x23
    b.lo 1b
    b 9f
2:  st1w {z24.s-z25.s}, pn9, [x13]
    tbz w27, #1, 9f
    st1w {z26.s-z27.s}, pn9, [x13, x4, lsl #2]
    tbz w27, #0, 9f
    st1w {z28.s-z29.s}, pn9, [x13, x21, lsl #2]
    b 9f
5:  whilelt p2.h, x11, x6
7:  \four \t0, \t1
    fcvt z24.h, {z24.s-z25.s}
    fcvt z26.h, {z26.s-z27.s}
    fcvt z28.h, {z28.s-z29.s}
    fcvt z30.h, {z30.s-z31.s}
    add w12, w12, #4
    cmp w12, w27
    b.hi 6f
    st1h {z24.h}, p2, [x13]
    st1h {z26.h}, p2, [x13, x4, lsl #1]
    st1h {z28.h}, p2, [x13, x21, lsl #1]
    st1h {z30.h}, p2, [x13, x22, lsl #1]
    add x13, x13, x23
    b.lo 7b
    b 9f
6:  st1h {z24.h}, p2, [x13]
    tbz w27, #1, 9f
    st1h {z26.h}, p2, [x13, x4, lsl #1]
    tbz w27, #0, 9f
    st1h {z28.h}, p2, [x13, x21, lsl #1]
9:
.endm

.macro scale_one a, i, d
    fmul z\d\().s, z\a\().s, z2.s[\i]
    fmad z\d\().s, p0/m, z4.s, z5.s
.endm

// The same for one tile of columns, stored by p1.
.macro store_narrow t0
    mov w12, wzr
1:  mova {z16.s-z19.s}, \t0\()h.s[w12, 0:3]
    ld1rqw {z2.s}, p0/z, [x14, x12, lsl #2]
    scvtf {z16.s-z19.s}, {z16.s-z19.s}
    scale_one 16, 0, 24
    scale_one 17, 1, 25
    scale_one 18, 2, 26
    scale_one 19, 3, 27
    fclamp {z24.s-z27.s}, z0.s, z1.s
    add w12, w12, #4
    cbnz w25, 5f
    cmp w12, w27
    b.hi 2f
    st1w {z24.s}, p1, [x13]
    st1w {z25.s}, p1, [x13, x4, lsl #2]
    st1w {z26.s}, p1, [x13, x21, lsl #2]
    st1w {z27.s}, p1, [x13, x22, lsl #2]
    add x13, x13, x23
    b.lo 1b
    b 9f
2:  st1w {z24.s}, p1, [x13]
    tbz w27, #1, 9f
    st1w {z25.s}, p1, [x13, x4, lsl #2]
    tbz w27, #0, 9f
    st1w {z26.s}, p1, [x13, x21, lsl #2]
    b 9f
5:  fcvt z24.h, p0/m, z24.s
    fcvt z25.h, p0/m, z25.s
    fcvt z26.h, p0/m, z26.s
    fcvt z27.h, p0/m, z27.s
    cmp w12, w27
    b.hi 6f
    st1h {z24.s}, p1, [x13]
    st1h {z25.s}, p1, [x13, x4, lsl #1]
    st1h {z26.s}, p1, [x13, x21, lsl #1]
    st1h {z27.s}, p1, [x13, x22, lsl #1]
    add x13, x13, x23
    b.lo 1b
    b 9f
6:  st1h {z24.s}, p1, [x13]
    tbz w27, #1, 9f
    st1h {z25.s}, p1, [x13, x4, lsl #1]
    tbz w27, #0, 9f
    st1h {z26.s}, p1, [x13, x21, lsl #1]
9:
.endm

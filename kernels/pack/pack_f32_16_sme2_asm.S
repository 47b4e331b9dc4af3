/* kernels/pack/pack_f32_16_sme2_asm.S: rows of floats at equal distances into panels [k][16], through
 * ZA, for vectors of 16 floats: every tile is whole, so that nothing is counted within one.
 *
 * sl_pack_f32_16_sme2_asm(const struct sl_pack_lhs_f32 *job), in streaming mode with ZA on. z8-z15 are
 * not touched.
 *
 * The 15 distances from a tile's first row stay in registers; behind the last row they repeat its own.
 * Columns go 64 at a time. How those behind the last 64 are read (x27) and how the last tile of them
 * is written (x28) is the same for all tiles of a job and is found out once. */
#include "kernels/cpu/asm.h"

// The distances of 16 rows, x2 from each to the next.
.macro distances_of_16
    mov x7, x2
    add x8, x7, x2
    add x9, x8, x2
    add x10, x9, x2
    add x11, x10, x2
    add x16, x11, x2
    add x17, x16, x2
    add x19, x17, x2
    add x20, x19, x2
    add x21, x20, x2
    add x22, x21, x2
    add x23, x22, x2
    add x24, x23, x2
    add x25, x24, x2
    add x26, x25, x2
.endm

// Register \reg is the distance of row \row, \before that of the row before; there are x30 rows.
.macro distance reg, before, row
    cmp x30, #\row
    csel x5, x2, xzr, hi
    add \reg, \before, x5
.endm

.macro distances
    cmp x30, #1
    csel x7, x2, xzr, hi
    distance x8, x7, 2
    distance x9, x8, 3
    distance x10, x9, 4
    distance x11, x10, 5
    distance x16, x11, 6
    distance x17, x16, 7
    distance x19, x17, 8
    distance x20, x19, 9
    distance x21, x20, 10
    distance x22, x21, 11
    distance x23, x22, 12
    distance x24, x23, 13
    distance x25, x24, 14
    distance x26, x25, 15
.endm

// 64 columns of four rows, or what pn8 leaves of them.
.macro load_four by, a, b, c, d
    ld1w {z17.s, z21.s, z25.s, z29.s}, \by/z, [x5, \b, lsl #2]
    ld1w {z18.s, z22.s, z26.s, z30.s}, \by/z, [x5, \c, lsl #2]
    ld1w {z19.s, z23.s, z27.s, z31.s}, \by/z, [x5, \d, lsl #2]
    .ifnb \a
    ld1w {z16.s, z20.s, z24.s, z28.s}, \by/z, [x5, \a, lsl #2]
    .else
    ld1w {z16.s, z20.s, z24.s, z28.s}, \by/z, [x5]
    .endif
.endm

.macro insert_four slice
    mova za0h.s[\slice, 0:3], {z16.s-z19.s}
    mova za1h.s[\slice, 0:3], {z20.s-z23.s}
    mova za2h.s[\slice, 0:3], {z24.s-z27.s}
    mova za3h.s[\slice, 0:3], {z28.s-z31.s}
.endm

.macro rows_to_four_tiles by
    load_four \by, , x7, x8, x9
    insert_four w12
    load_four \by, x10, x11, x16, x17
    insert_four w13
    load_four \by, x19, x20, x21, x22
    insert_four w14
    load_four \by, x23, x24, x25, x26
    insert_four w15
.endm

// Up to 32 columns by pn8.
.macro load_two a, b, c, d
    .ifnb \a
    ld1w {z16.s, z24.s}, pn8/z, [x5, \a, lsl #2]
    .else
    ld1w {z16.s, z24.s}, pn8/z, [x5]
    .endif
    ld1w {z17.s, z25.s}, pn8/z, [x5, \b, lsl #2]
    ld1w {z18.s, z26.s}, pn8/z, [x5, \c, lsl #2]
    ld1w {z19.s, z27.s}, pn8/z, [x5, \d, lsl #2]
.endm

.macro insert_two slice
    mova za0h.s[\slice, 0:3], {z16.s-z19.s}
    mova za1h.s[\slice, 0:3], {z24.s-z27.s}
.endm

// Up to 16 columns by p1.
.macro load_one x, a, y, b, z, c, w, d
    .ifnb \a
    ld1w {\x\().s}, p1/z, [x5, \a, lsl #2]
    .else
    ld1w {\x\().s}, p1/z, [x5]
    .endif
    ld1w {\y\().s}, p1/z, [x5, \b, lsl #2]
    ld1w {\z\().s}, p1/z, [x5, \c, lsl #2]
    ld1w {\w\().s}, p1/z, [x5, \d, lsl #2]
.endm

// All 16 columns of a tile, to 16 VL from \first VL on.
.macro whole_tile_out tile, first, second, third, fourth
    mova {z16.s-z19.s}, \tile\()v.s[w12, 0:3]
    mova {z20.s-z23.s}, \tile\()v.s[w13, 0:3]
    mova {z24.s-z27.s}, \tile\()v.s[w14, 0:3]
    mova {z28.s-z31.s}, \tile\()v.s[w15, 0:3]
    st1w {z16.s-z19.s}, pn9, [x6, #\first, mul vl]
    st1w {z20.s-z23.s}, pn9, [x6, #\second, mul vl]
    st1w {z24.s-z27.s}, pn9, [x6, #\third, mul vl]
    st1w {z28.s-z31.s}, pn9, [x6, #\fourth, mul vl]
.endm

// The last tile of columns: \quads times four of them, the last four by pn10. 64 bytes of code each.
.macro last_tile_out tile, quads
    .p2align 6
    mova {z16.s-z19.s}, \tile\()v.s[w12, 0:3]
    .if \quads == 1
    st1w {z16.s-z19.s}, pn10, [x6]
    .else
    st1w {z16.s-z19.s}, pn9, [x6]
    mova {z20.s-z23.s}, \tile\()v.s[w13, 0:3]
    .if \quads == 2
    st1w {z20.s-z23.s}, pn10, [x6, #4, mul vl]
    .else
    st1w {z20.s-z23.s}, pn9, [x6, #4, mul vl]
    mova {z24.s-z27.s}, \tile\()v.s[w14, 0:3]
    .if \quads == 3
    st1w {z24.s-z27.s}, pn10, [x6, #8, mul vl]
    .else
    st1w {z24.s-z27.s}, pn9, [x6, #8, mul vl]
    mova {z28.s-z31.s}, \tile\()v.s[w15, 0:3]
    st1w {z28.s-z31.s}, pn10, [x6, #12, mul vl]
    .endif
    .endif
    .endif
    b 80f
.endm

function_begin sl_pack_f32_16_sme2_asm
    stp x19, x20, [sp, #-96]!
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    ldp x1, x2, [x0]            // first row, elements from row to row
    ldp x3, x4, [x0, #16]       // rows, elements of each
    ldr x6, [x0, #32]           // out
    ptrue pn9.s
    mov w12, wzr
    mov w13, #4
    mov w14, #8
    mov w15, #12
    adr x27, 80f
    mov x29, xzr
    ands x5, x4, #63
    lsr x4, x4, #6
    b.eq 1f
    whilelt p1.s, xzr, x5
    whilelt pn8.s, xzr, x5, vlx4
    sub x5, x5, #1
    adr x28, 70f
    lsr x7, x5, #2
    add x28, x28, x7, lsl #6    // one for each four columns
    and x7, x5, #3
    add x7, x7, #1
    lsl x7, x7, #4
    whilelt pn10.s, xzr, x7, vlx4
    and x29, x5, #15
    add x29, x29, #1
    lsl x29, x29, #6            // bytes of the last tile
    adr x27, 30f
    lsr x5, x5, #4
    adr x7, 40f
    cmp x5, #1
    csel x27, x7, x27, eq
    adr x7, 50f
    csel x27, x7, x27, hi
    adr x7, 60f
    cmp x5, #3
    csel x27, x7, x27, eq
1:  subs x3, x3, #16
    b.lt 85f
    distances_of_16
10: // a tile of 16 rows
    mov x5, x1
    mov x0, x4
    cbnz x0, 20f
    br x27
20: rows_to_four_tiles pn9
    whole_tile_out za0, 0, 4, 8, 12
    whole_tile_out za1, 16, 20, 24, 28
    add x6, x6, #2048
    whole_tile_out za2, 0, 4, 8, 12
    whole_tile_out za3, 16, 20, 24, 28
    add x6, x6, #2048
    add x5, x5, #256
    subs x0, x0, #1
    b.ne 20b
    br x27
30: // up to 16 columns more
    load_one z16, , z17, x7, z18, x8, z19, x9
    load_one z20, x10, z21, x11, z22, x16, z23, x17
    load_one z24, x19, z25, x20, z26, x21, z27, x22
    load_one z28, x23, z29, x24, z30, x25, z31, x26
    mova za0h.s[w12, 0:3], {z16.s-z19.s}
    mova za0h.s[w13, 0:3], {z20.s-z23.s}
    mova za0h.s[w14, 0:3], {z24.s-z27.s}
    mova za0h.s[w15, 0:3], {z28.s-z31.s}
    br x28
40: // up to 32
    load_two , x7, x8, x9
    insert_two w12
    load_two x10, x11, x16, x17
    insert_two w13
    load_two x19, x20, x21, x22
    insert_two w14
    load_two x23, x24, x25, x26
    insert_two w15
    whole_tile_out za0, 0, 4, 8, 12
    add x6, x6, #1024
    br x28
50: // up to 48
    rows_to_four_tiles pn8
    whole_tile_out za0, 0, 4, 8, 12
    whole_tile_out za1, 16, 20, 24, 28
    add x6, x6, #2048
    br x28
60: // up to 63
    rows_to_four_tiles pn8
    whole_tile_out za0, 0, 4, 8, 12
    whole_tile_out za1, 16, 20, 24, 28
    add x6, x6, #2048
    whole_tile_out za2, 0, 4, 8, 12
    add x6, x6, #1024
    br x28
    .p2align 6
70: last_tile_out za0, 1
    last_tile_out za0, 2
    last_tile_out za0, 3
    last_tile_out za0, 4
    last_tile_out za1, 1
    last_tile_out za1, 2
    last_tile_out za1, 3
    last_tile_out za1, 4
    last_tile_out za2, 1
    last_tile_out za2, 2
    last_tile_out za2, 3
    last_tile_out za2, 4
    last_tile_out za3, 1
    last_tile_out za3, 2
    last_tile_out za3, 3
    last_tile_out za3, 4
80: add x6, x6, x29            // behind the last tile of columns, if there is one
    add x1, x1, x2, lsl #6
    subs x3, x3, #16
    b.ge 10b
85: adds x30, x3, #16           // rows of one more tile, or none
    b.le 90f
    distances
    b 10b
90: ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp x19, x20, [sp], #96
    ret
function_end sl_pack_f32_16_sme2_asm

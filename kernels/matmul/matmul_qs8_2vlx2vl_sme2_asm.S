/* kernels/matmul/matmul_qs8_2vlx2vl_sme2_asm.S: int8 outer products over packed panels, in blocks of
 * up to 2VL x 2VL, and back to int8.
 *
 * sl_mopa_qs8_sme2_asm(const struct sl_mopa_qs8 *job), in streaming mode with ZA on. What it computes
 * is stated by sl_mopa_qs8_scalar() in mopa_qs8_scalar.c. Of z8-z15 it keeps what the ABI asks for.
 *
 * Rows of sums leave ZA four at a time; a byte of each 32-bit lane is stored, so nothing is narrowed. Where
 * a tile has 16 rows and all of them count, its sums pass through it once more as floats: a multiplication
 * of four vectors there takes a unit less time than one of each in registers. */
#include "kernels/cpu/asm.h"

#define MOPA smopa
#define LOAD ld1b
#define T b
#include "kernels/matmul/mopa_walk.inc"

#define MIN z0.s
#define MAX z1.s
#define ZERO z2.s


// A float below 2^22 and this one add up to the nearest integer, in the last bits.
#define WHOLE 0x4b400000

// Four vectors of sums to int8 values: scale, round to even, clamp, move by the zero point.
.macro requantise a, b, c, d, scale
    scvtf {z\a\().s-z\d\().s}, {z\a\().s-z\d\().s}
    fmul z\a\().s, z\a\().s, \scale
    fmul z\b\().s, z\b\().s, \scale
    fmul z\c\().s, z\c\().s, \scale
    fmul z\d\().s, z\d\().s, \scale
    frintn {z\a\().s-z\d\().s}, {z\a\().s-z\d\().s}
    fcvtzs {z\a\().s-z\d\().s}, {z\a\().s-z\d\().s}
    sclamp {z\a\().s-z\d\().s}, MIN, MAX
    add {z\a\().s-z\d\().s}, {z\a\().s-z\d\().s}, ZERO
.endm

// Four rows of two tiles side by side to \at: the left ones by p2, the right ones, VL on, by p3.
.macro store_pair_rows a, b, c, d, e, f, g, h, at
    st1b {z\a\().s}, p2, [\at]
    st1b {z\e\().s}, p3, [\at, #1, mul vl]
    st1b {z\b\().s}, p2, [\at, x4]
    st1b {z\f\().s}, p3, [\at, x25]
    st1b {z\c\().s}, p2, [\at, x21]
    st1b {z\g\().s}, p3, [\at, x28]
    st1b {z\d\().s}, p2, [\at, x22]
    st1b {z\h\().s}, p3, [\at, x0]
.endm

// A full block of 2VL rows: four rows of each tile row a turn.
.macro store_block
    mov w12, wzr
    add x14, x13, x24
1:  mova {z16.s-z19.s}, za0h.s[w12, 0:3]
    mova {z24.s-z27.s}, za1h.s[w12, 0:3]
    mova {z20.s-z23.s}, za2h.s[w12, 0:3]
    mova {z28.s-z31.s}, za3h.s[w12, 0:3]
    requantise 16, 17, 18, 19, z4.s
    requantise 24, 25, 26, 27, z5.s
    requantise 20, 21, 22, 23, z4.s
    requantise 28, 29, 30, 31, z5.s
    store_pair_rows 16, 17, 18, 19, 24, 25, 26, 27, x13
    store_pair_rows 20, 21, 22, 23, 28, 29, 30, 31, x14
    add w12, w12, #4
    add x13, x13, x23
    add x14, x14, x23
    cmp w12, w15
    b.lo 1b
.endm

// w27 rows of one tile row to x13; \t0 \t1 are its tiles.
.macro store_rows t0, t1
    mov w12, wzr
1:  mova {z16.s-z19.s}, \t0\()h.s[w12, 0:3]
    mova {z24.s-z27.s}, \t1\()h.s[w12, 0:3]
    requantise 16, 17, 18, 19, z4.s
    requantise 24, 25, 26, 27, z5.s
    add w12, w12, #4
    cmp w12, w27
    b.hi 2f
    store_pair_rows 16, 17, 18, 19, 24, 25, 26, 27, x13
    add x13, x13, x23
    b.lo 1b
    b 4f
2:  st1b {z16.s}, p2, [x13]
    st1b {z24.s}, p3, [x13, #1, mul vl]
    tbz w27, #1, 3f
    st1b {z17.s}, p2, [x13, x4]
    st1b {z25.s}, p3, [x13, x25]
    tbz w27, #0, 4f
    st1b {z18.s}, p2, [x13, x21]
    st1b {z26.s}, p3, [x13, x28]
3:
4:
.endm

// The same for one tile of columns.
.macro store_rows_narrow t0
    mov w12, wzr
1:  mova {z16.s-z19.s}, \t0\()h.s[w12, 0:3]
    requantise 16, 17, 18, 19, z4.s
    add w12, w12, #4
    cmp w12, w27
    b.hi 2f
    st1b {z16.s}, p2, [x13]
    st1b {z17.s}, p2, [x13, x4]
    st1b {z18.s}, p2, [x13, x21]
    st1b {z19.s}, p2, [x13, x22]
    add x13, x13, x23
    b.lo 1b
    b 4f
2:  st1b {z16.s}, p2, [x13]
    tbz w27, #1, 4f
    st1b {z17.s}, p2, [x13, x4]
    tbz w27, #0, 4f
    st1b {z18.s}, p2, [x13, x21]
4:
.endm

// The constants of whole tiles, which products overwrite: WHOLE, the zero point, the bounds of their sum.
// Indexes of slices and of groups of vectors, for which x13, x14, x8, x9 and x15 give way.
.macro constant z, at
    ld1rw {z\z\().s}, p0/z, [sp, #\at]
.endm

.macro tiles_begin
    constant 8, 160
    constant 9, 160
    constant 10, 160
    constant 11, 160
    constant 12, 164
    constant 13, 164
    constant 14, 164
    constant 15, 164
    constant 6, 168
    constant 7, 172
    mov x7, x13
    mov w8, wzr
    mov w9, #8
    mov w12, wzr
    mov w13, #4
    mov w14, #8
    mov w15, #12
.endm

.macro tiles_end
    mov w15, #16
.endm

// Sums of a group of rows, by their scale, to integers behind WHOLE and the zero point.
.macro group_to_bytes first, last, index, at, scale
    fmla za.s[\index, \at, vgx4], {z\first\().s-z\last\().s}, \scale
    fadd za.s[\index, \at, vgx4], {z8.s-z11.s}
    add za.s[\index, \at, vgx4], {z12.s-z15.s}
.endm

// Rows x17, x17 + 4, .. of a whole tile, left in four slices from \slice on.
.macro four_rows_of_tile tile, slice, first, second, third, fourth, some
    mova {z\first\().s-z\fourth\().s}, \tile\()h.s[\slice, 0:3]
    sclamp {z\first\().s-z\fourth\().s}, z6.s, z7.s
    st1b {z\first\().s}, \some, [x17]
    st1b {z\second\().s}, \some, [x17, x23]
    st1b {z\third\().s}, \some, [x17, x29]
    st1b {z\fourth\().s}, \some, [x17, x30]
.endm

// Tile \number of 16 rows to x7, moved by \columns: rows i, i + 4, .. come back as slices 4 i on, for the
// vectors of a group lie 16 apart.
.macro store_tile number, scale, some, columns
    mova {z16.s-z19.s}, za\number\()h.s[w12, 0:3]
    mova {z20.s-z23.s}, za\number\()h.s[w13, 0:3]
    mova {z24.s-z27.s}, za\number\()h.s[w14, 0:3]
    mova {z28.s-z31.s}, za\number\()h.s[w15, 0:3]
    scvtf {z16.s-z19.s}, {z16.s-z19.s}
    scvtf {z20.s-z23.s}, {z20.s-z23.s}
    scvtf {z24.s-z27.s}, {z24.s-z27.s}
    scvtf {z28.s-z31.s}, {z28.s-z31.s}
    zero {za\number\().s}
    group_to_bytes 16, 19, w8, \number, \scale
    group_to_bytes 20, 23, w8, \number + 4, \scale
    group_to_bytes 24, 27, w9, \number, \scale
    group_to_bytes 28, 31, w9, \number + 4, \scale
    add x17, x7, #\columns
    four_rows_of_tile za\number, w12, 16, 17, 18, 19, \some
    add x17, x17, x4
    four_rows_of_tile za\number, w13, 20, 21, 22, 23, \some
    add x17, x17, x4
    four_rows_of_tile za\number, w14, 24, 25, 26, 27, \some
    add x17, x17, x4
    four_rows_of_tile za\number, w15, 28, 29, 30, 31, \some
.endm

// Starts a block of 2VL or VL columns; x7 stays at its scales.
.macro start_wide
    ld1w {z4.s-z5.s}, pn8/z, [x10]
    zero {za}
    addvl x7, x10, #2
    addvl x10, x10, #4
.endm

.macro start_narrow
    ld1w {z4.s}, p0/z, [x10]
    zero {za}
    addvl x7, x10, #1
    addvl x10, x10, #2
.endm

function_begin sl_mopa_qs8_sme2_asm
    stp d8, d9, [sp, #-176]!
    stp d10, d11, [sp, #16]
    stp d12, d13, [sp, #32]
    stp d14, d15, [sp, #48]
    stp x19, x20, [sp, #64]
    stp x21, x22, [sp, #80]
    stp x23, x24, [sp, #96]
    stp x25, x26, [sp, #112]
    stp x27, x28, [sp, #128]
    stp x29, x30, [sp, #144]
    ldp x1, x2, [x0]            // left panels, right panels
    ldp x3, x4, [x0, #16]       // dst, its row stride
    ldp x5, x6, [x0, #32]       // m left, n
    ldr x7, [x0, #48]           // steps
    ldp w8, w9, [x0, #56]       // bounds
    ldr w10, [x0, #64]          // zero point
    mov w11, #WHOLE
    stp w11, w10, [sp, #160]
    add w10, w10, w11
    add w8, w8, w10
    add w9, w9, w10
    stp w8, w9, [sp, #168]
    ptrue p0.b
    ptrue pn8.b
    ld1rw {z0.s}, p0/z, [x0, #56]
    ld1rw {z1.s}, p0/z, [x0, #60]
    ld1rw {z2.s}, p0/z, [x0, #64]
    cntw x15
    rdvl x19, #31
    addvl x19, x19, #1
    lsr x16, x7, #4
    and x20, x7, #15
    lsl x21, x4, #1
    add x22, x21, x4
    lsl x23, x4, #2
    lsl x29, x4, #3
    add x30, x29, x23
    add x25, x4, x15            // rows 1 to 3 of the right tile
    add x28, x21, x15
    add x0, x22, x15
    mul x24, x15, x4            // bytes of VL rows of dst
    mul x26, x7, x15
    lsl x26, x26, #2            // bytes of a left panel

10: // two tiles of rows, or the last one
    mov x11, xzr
    mov x10, x2
    cmp x5, x15
    b.ls 50f
20: // a block of two tiles of rows
    mov x8, x1
    add x9, x1, x26
    add x13, x3, x11
    sub x17, x6, x11
    cmp x17, x15
    b.ls 40f
    whilelt {p2.s, p3.s}, x11, x6
    start_wide
    addha za0.s, p0/m, p0/m, z4.s
    addha za1.s, p0/m, p0/m, z5.s
    addha za2.s, p0/m, p0/m, z4.s
    addha za3.s, p0/m, p0/m, z5.s
    all_steps 2x2
    ld1w {z4.s-z5.s}, pn8/z, [x7]
    cmp x15, #16
    b.ne 28f
    tiles_begin
    store_tile 0, z4.s, p2, 0
    store_tile 1, z5.s, p3, 16
    add x7, x7, x24
    cmp x5, #32
    b.lo 25f
    store_tile 2, z4.s, p2, 0
    store_tile 3, z5.s, p3, 16
    tiles_end
    b 35f
25: mov x13, x7
    tiles_end
    b 31f
28: cmp x5, x15, lsl #1
    b.lo 30f
    store_block
    b 35f
30: mov w27, w15
    store_rows za0, za1
31: sub w27, w5, w15
    store_rows za2, za3
35: add x11, x11, x15, lsl #1
    cmp x11, x6
    b.lo 20b
    b 60f
40: // the last columns fill one tile
    whilelt p2.s, x11, x6
    start_narrow
    addha za0.s, p0/m, p0/m, z4.s
    addha za2.s, p0/m, p0/m, z4.s
    all_steps "tall 2"
    ld1w {z4.s}, p0/z, [x7]
    cmp x15, #16
    b.ne 45f
    tiles_begin
    store_tile 0, z4.s, p2, 0
    add x7, x7, x24
    cmp x5, #32
    b.lo 43f
    store_tile 2, z4.s, p2, 0
    tiles_end
    b 60f
43: mov x13, x7
    tiles_end
    b 47f
45: mov w27, w15
    store_rows_narrow za0
47: sub x27, x5, x15
    cmp x27, x15
    csel x27, x27, x15, lo
    store_rows_narrow za2
60: cmp x5, x15, lsl #1
    b.ls 90f
    sub x5, x5, x15, lsl #1
    add x1, x1, x26, lsl #1
    add x3, x3, x24, lsl #1
    b 10b

50: // the last tile of rows
    mov x8, x1
    add x13, x3, x11
    mov x27, x5
    sub x17, x6, x11
    cmp x17, x15
    b.ls 55f
    whilelt {p2.s, p3.s}, x11, x6
    start_wide
    addha za0.s, p0/m, p0/m, z4.s
    addha za1.s, p0/m, p0/m, z5.s
    all_steps 1x2
    ld1w {z4.s-z5.s}, pn8/z, [x7]
    store_rows za0, za1
    add x11, x11, x15, lsl #1
    cmp x11, x6
    b.lo 50b
    b 90f
55: whilelt p2.s, x11, x6
    start_narrow
    addha za0.s, p0/m, p0/m, z4.s
    all_steps "tall 1"
    ld1w {z4.s}, p0/z, [x7]
    store_rows_narrow za0

90: ldp d10, d11, [sp, #16]
    ldp d12, d13, [sp, #32]
    ldp d14, d15, [sp, #48]
    ldp x19, x20, [sp, #64]
    ldp x21, x22, [sp, #80]
    ldp x23, x24, [sp, #96]
    ldp x25, x26, [sp, #112]
    ldp x27, x28, [sp, #128]
    ldp x29, x30, [sp, #144]
    ldp d8, d9, [sp], #176
    ret
function_end sl_mopa_qs8_sme2_asm

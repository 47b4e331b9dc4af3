/* kernels/matmul/matmul_f32_2vlx2vl_sme2_asm.S: outer products over packed panels, in blocks of up
 * to 2VL x 2VL.
 *
 * sl_mopa_f32_sme2_asm(const struct sl_mopa_f32 *job), in streaming mode with ZA on. What it computes
 * is stated by sl_mopa_f32_scalar() in matmul_mopa_scalar.c. Of z8-z15 it keeps what the ABI asks for.
 *
 * Left panels are [k][VL], two of them walked at once; right panels are a bias of 2VL, then [k][2VL]
 * (the last one VL wide when that suffices). The four tiles: za0 za1 over za2 za3. An odd last tile
 * of rows or columns takes a narrower walk, so no outer product is spent on padding alone. */
#include "kernels/cpu/asm.h"

#define MOPA fmopa
#define LOAD ld1w
#define T s
#include "kernels/matmul/mopa_walk.inc"

#define MIN z0.s
#define MAX z1.s
#define ONES z2.s

.macro clamp quad
    fmax {z\quad}, {z\quad}, MIN
    fmin {z\quad}, {z\quad}, MAX
.endm

// Four rows of a tile row, {z16.., z24..} or {z20.., z28..}, to \at.
.macro store_pair_rows a, at
    .if \a == 16
    st1w {z16.s, z24.s}, pn9, [\at]
    st1w {z17.s, z25.s}, pn9, [\at, x4, lsl #2]
    st1w {z18.s, z26.s}, pn9, [\at, x21, lsl #2]
    st1w {z19.s, z27.s}, pn9, [\at, x22, lsl #2]
    .else
    st1w {z20.s, z28.s}, pn9, [\at]
    st1w {z21.s, z29.s}, pn9, [\at, x4, lsl #2]
    st1w {z22.s, z30.s}, pn9, [\at, x21, lsl #2]
    st1w {z23.s, z31.s}, pn9, [\at, x22, lsl #2]
    .endif
.endm

// A full block of 2VL rows: four rows of each tile row a turn.
.macro store_block with_clamp
1:  mova {z16.s-z19.s}, za0h.s[w12, 0:3]
    mova {z24.s-z27.s}, za1h.s[w12, 0:3]
    mova {z20.s-z23.s}, za2h.s[w12, 0:3]
    mova {z28.s-z31.s}, za3h.s[w12, 0:3]
    .if \with_clamp
    clamp 16.s-z19.s
    clamp 24.s-z27.s
    clamp 20.s-z23.s
    clamp 28.s-z31.s
    .endif
    store_pair_rows 16, x13
    store_pair_rows 20, x14
    add w12, w12, #4
    add x13, x13, x23
    add x14, x14, x23
    cmp w12, w15
    b.lo 1b
.endm

// w27 rows of one tile row to x13; \t0 \t1 are its tiles. Clamps always: the clamp may be no clamp.
.macro store_rows t0, t1
    mov w12, wzr
1:  mova {z16.s-z19.s}, \t0\()h.s[w12, 0:3]
    mova {z24.s-z27.s}, \t1\()h.s[w12, 0:3]
    clamp 16.s-z19.s
    clamp 24.s-z27.s
    add w12, w12, #4
    cmp w12, w27
    b.hi 2f
    store_pair_rows 16, x13
    add x13, x13, x23
    b.lo 1b
    b 4f
2:  st1w {z16.s, z24.s}, pn9, [x13]
    tbz w27, #1, 4f
    st1w {z17.s, z25.s}, pn9, [x13, x4, lsl #2]
    tbz w27, #0, 4f
    st1w {z18.s, z26.s}, pn9, [x13, x21, lsl #2]
4:
.endm

// The same for one tile of columns, stored by p1.
.macro store_rows_narrow t0
    mov w12, wzr
1:  mova {z16.s-z19.s}, \t0\()h.s[w12, 0:3]
    clamp 16.s-z19.s
    add w12, w12, #4
    cmp w12, w27
    b.hi 2f
    st1w {z16.s}, p1, [x13]
    st1w {z17.s}, p1, [x13, x4, lsl #2]
    st1w {z18.s}, p1, [x13, x21, lsl #2]
    st1w {z19.s}, p1, [x13, x22, lsl #2]
    add x13, x13, x23
    b.lo 1b
    b 4f
2:  st1w {z16.s}, p1, [x13]
    tbz w27, #1, 4f
    st1w {z17.s}, p1, [x13, x4, lsl #2]
    tbz w27, #0, 4f
    st1w {z18.s}, p1, [x13, x21, lsl #2]
4:
.endm

function_begin sl_mopa_f32_sme2_asm
    stp d8, d9, [sp, #-144]!
    stp d10, d11, [sp, #16]
    stp d12, d13, [sp, #32]
    stp d14, d15, [sp, #48]
    stp x19, x20, [sp, #64]
    stp x21, x22, [sp, #80]
    stp x23, x24, [sp, #96]
    stp x25, x26, [sp, #112]
    stp x27, x28, [sp, #128]
    ldp x1, x2, [x0]            // left panels, right panels
    ldp x3, x4, [x0, #16]       // dst, its row stride in elements
    ldp x5, x6, [x0, #32]       // m left, n
    ldr x7, [x0, #48]           // k
    ldp s0, s1, [x0, #56]       // clamp
    ldr w25, [x0, #64]          // is there one?
    mov z0.s, s0
    mov z1.s, s1
    fmov z2.s, #1.0
    ptrue p0.s
    ptrue pn8.s
    cntw x15
    rdvl x19, #31
    addvl x19, x19, #1
    lsr x16, x7, #4
    and x20, x7, #15
    lsl x21, x4, #1
    add x22, x21, x4
    lsl x23, x4, #4
    mul x24, x15, x23
    lsr x24, x24, #2            // bytes of VL rows of dst
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
    add x13, x3, x11, lsl #2
    sub x17, x6, x11
    cmp x17, x15
    b.ls 40f
    whilelt pn9.s, x11, x6, vlx2
    ld1w {z4.s-z5.s}, pn8/z, [x10]
    zero {za}
    addvl x10, x10, #2
    mopa_2x2 ONES, ONES, z4.s, z5.s
    all_steps 2x2
    cmp x5, x15, lsl #1
    b.lo 30f
    mov w12, wzr
    add x14, x13, x24
    cbz w25, 25f
    store_block 1
    b 35f
25: store_block 0
    b 35f
30: mov w27, w15
    store_rows za0, za1
    sub w27, w5, w15
    store_rows za2, za3
35: add x11, x11, x15, lsl #1
    cmp x11, x6
    b.lo 20b
    b 60f
40: // the last columns fill one tile
    whilelt p1.s, x11, x6
    ld1w {z4.s}, p0/z, [x10]
    zero {za}
    addvl x10, x10, #1
    mopa_2x1 ONES, ONES, z4.s
    all_steps 2x1
    mov w27, w15
    store_rows_narrow za0
    sub x27, x5, x15
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
    add x13, x3, x11, lsl #2
    mov x27, x5
    sub x17, x6, x11
    cmp x17, x15
    b.ls 55f
    whilelt pn9.s, x11, x6, vlx2
    ld1w {z4.s-z5.s}, pn8/z, [x10]
    zero {za}
    addvl x10, x10, #2
    mopa_1x2 ONES, z4.s, z5.s
    all_steps 1x2
    store_rows za0, za1
    add x11, x11, x15, lsl #1
    cmp x11, x6
    b.lo 50b
    b 90f
55: whilelt p1.s, x11, x6
    ld1w {z4.s}, p0/z, [x10]
    zero {za}
    addvl x10, x10, #1
    fmopa za0.s, p0/m, p0/m, ONES, z4.s
    all_steps 1x1
    store_rows_narrow za0

90: ldp d10, d11, [sp, #16]
    ldp d12, d13, [sp, #32]
    ldp d14, d15, [sp, #48]
    ldp x19, x20, [sp, #64]
    ldp x21, x22, [sp, #80]
    ldp x23, x24, [sp, #96]
    ldp x25, x26, [sp, #112]
    ldp x27, x28, [sp, #128]
    ldp d8, d9, [sp], #144
    ret
function_end sl_mopa_f32_sme2_asm

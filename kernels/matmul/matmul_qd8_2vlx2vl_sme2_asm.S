/* kernels/matmul/matmul_qd8_2vlx2vl_sme2_asm.S: dynamic int8 products by outer products, in blocks of up to
 * 2VL x 2VL.
 *
 * sl_mopa_qd8_sme2_asm(const struct sl_qd8_mopa *) for int8 weights, sl_mopa_q4_sme2_asm() for int4 by channel,
 * in streaming mode with ZA on. Panels: qd8_mopa.h; what is computed: finish() in qd8_panels_scalar.c. Of
 * z8-z15 they keep what the ABI asks for. */
#include "kernels/cpu/asm.h"

#define MOPA smopa
#define LOAD ld1b
#define T b
#include "kernels/matmul/mopa_walk.inc"
#include "kernels/matmul/qd8_store.h"

// Four words of int4: a line of nibbles is two vectors of weights.
.macro decode_4
    luti4 {z4.b-z5.b}, zt0, z12[0]
    luti4 {z6.b-z7.b}, zt0, z13[0]
    luti4 {z8.b-z9.b}, zt0, z14[0]
    luti4 {z10.b-z11.b}, zt0, z15[0]
.endm

.macro four_q4_2x2 bank
    first_half_\bank 4, 5, 6, 7
    second_half_\bank 8, 9, 10, 11
.endm

.macro steps16_q4_2x2
    load_a 16, 19, 0
    load_a1 20, 23, 0
    load_b 12, 15, 0
    decode_4
    load_a 24, 27, 4
    load_a1 28, 31, 4
    load_b 12, 15, 4
    four_q4_2x2 0
    decode_4
    load_a 16, 19, 8
    load_a1 20, 23, 8
    load_b 12, 15, 8
    four_q4_2x2 1
    decode_4
    load_a 24, 27, 12
    load_a1 28, 31, 12
    load_b 12, 15, 12
    four_q4_2x2 0
    decode_4
    addvl x8, x8, #16
    addvl x9, x9, #16
    addvl x10, x10, #16
    four_q4_2x2 1
.endm

.macro steps8_q4_2x2
    steps4_q4_2x2
    steps4_q4_2x2
.endm

.macro steps4_q4_2x2
    load_a 16, 19, 0
    load_a1 20, 23, 0
    load_b 12, 15, 0
    decode_4
    addvl x8, x8, #4
    addvl x9, x9, #4
    addvl x10, x10, #4
    four_q4_2x2 0
.endm

.macro steps2_q4_2x2
    steps1_q4_2x2
    steps1_q4_2x2
.endm

.macro steps1_q4_2x2
    ld1w {z12.s}, p0/z, [x10]
    ld1w {z16.s}, p0/z, [x8]
    ld1w {z20.s}, p0/z, [x9]
    luti4 {z4.b-z5.b}, zt0, z12[0]
    addvl x8, x8, #1
    addvl x9, x9, #1
    addvl x10, x10, #1
    mopa_2x2 z16.b, z20.b, z4.b, z5.b
.endm

.macro steps16_q4_1x2
    load_a 16, 19, 0
    load_b 12, 15, 0
    decode_4
    load_a 20, 23, 4
    load_b 12, 15, 4
    four_1x2 z16.b, z17.b, z18.b, z19.b
    decode_4
    load_a 24, 27, 8
    load_b 12, 15, 8
    four_1x2 z20.b, z21.b, z22.b, z23.b
    decode_4
    load_a 28, 31, 12
    load_b 12, 15, 12
    four_1x2 z24.b, z25.b, z26.b, z27.b
    decode_4
    addvl x8, x8, #16
    addvl x10, x10, #16
    four_1x2 z28.b, z29.b, z30.b, z31.b
.endm

.macro steps8_q4_1x2
    steps4_q4_1x2
    steps4_q4_1x2
.endm

.macro steps4_q4_1x2
    load_a 16, 19, 0
    load_b 12, 15, 0
    decode_4
    addvl x8, x8, #4
    addvl x10, x10, #4
    four_1x2 z16.b, z17.b, z18.b, z19.b
.endm

.macro steps2_q4_1x2
    steps1_q4_1x2
    steps1_q4_1x2
.endm

.macro steps1_q4_1x2
    ld1w {z12.s}, p0/z, [x10]
    ld1w {z16.s}, p0/z, [x8]
    luti4 {z4.b-z5.b}, zt0, z12[0]
    addvl x8, x8, #1
    addvl x10, x10, #1
    mopa_1x2 z16.b, z4.b, z5.b
.endm

// Lines of corrections off the tiles named; x10 moves behind them.
.macro correct tiles
    zero {za}
    mov x17, x28
1:  .ifc \tiles, 2x1
    ld1w {z4.s}, p0/z, [x10]
    addvl x10, x10, #1
    .else
    .ifc \tiles, 1x1
    ld1w {z4.s}, p0/z, [x10]
    addvl x10, x10, #1
    .else
    ld1w {z4.s-z5.s}, pn8/z, [x10]
    addvl x10, x10, #2
    .endif
    .endif
    smops za0.s, p0/m, p0/m, z16.h, z4.h
    .ifc \tiles, 2x2
    smops za1.s, p0/m, p0/m, z16.h, z5.h
    smops za2.s, p0/m, p0/m, z20.h, z4.h
    smops za3.s, p0/m, p0/m, z20.h, z5.h
    .endif
    .ifc \tiles, 1x2
    smops za1.s, p0/m, p0/m, z16.h, z5.h
    .endif
    .ifc \tiles, 2x1
    smops za2.s, p0/m, p0/m, z20.h, z4.h
    .endif
    subs x17, x17, #1
    b.ne 1b
.endm

// Begins this block's rows and columns; x0: scales and biases of the columns, which follow x10.
.macro begin_rows
    addvl x8, x1, #3
    ld1w {z16.s}, p0/z, [x1, #1, mul vl]
.endm
.macro begin_second_rows
    add x9, x8, x26
    ld1w {z20.s}, p0/z, [x9, #-2, mul vl]
.endm
.macro columns_begin vectors
    mov x0, x10
    addvl x10, x10, #(2 * \vectors)
.endm

.macro product prefix, narrow
    save_registers
    .if \narrow == 0
    ldr x17, [x0, #80]
    ldr zt0, [x17]
    .endif
    load_job
    fmov z3.s, #1.0
    lsr x16, x7, #4
    and x20, x7, #15
    rdvl x19, #31
    addvl x19, x19, #1
    add x26, x7, #3
    mul x26, x26, x15
    lsl x26, x26, #2            // bytes of a left panel

10: // two tiles of rows, or the last one
    mov x11, xzr
    mov x10, x2
    cmp x5, x15
    b.ls 50f
20: // a block of two tiles of rows
    begin_rows
    begin_second_rows
    sub x17, x6, x11
    .if \narrow
    cmp x17, x15
    b.ls 40f
    .endif
    correct 2x2
    columns_begin 2
    all_steps \prefix\()2x2
    store_begin
    cmp x5, x15, lsl #1
    ccmp w25, #0, #0, hs        // a whole block of float?
    b.ne 30f
    tbnz x15, #2, 30f           // VL is 4
    tbnz x15, #4, 25f
    store_block
    b 35f
25: store_block_of_16
35: add x11, x11, x15, lsl #1
    cmp x11, x6
    b.lo 20b
    b 60f
30: // a block that is not whole, or of half
    mov w27, w15
    store_wide four_wide, za0, za1
    add x14, x1, x26
    sub x27, x5, x15
    cmp x27, x15
    csel x27, x27, x15, lo
    store_wide four_wide, za2, za3
    b 35b
    .if \narrow
40: // the last columns fill one tile
    correct 2x1
    columns_begin 1
    all_steps "tall 2"
    store_begin_narrow
    mov w27, w15
    store_narrow za0
    add x14, x1, x26
    sub x27, x5, x15
    cmp x27, x15
    csel x27, x27, x15, lo
    store_narrow za2
    .endif
60: cmp x5, x15, lsl #1
    b.ls 90f
    sub x5, x5, x15, lsl #1
    add x1, x1, x26, lsl #1
    add x3, x3, x24, lsl #1
    b 10b

50: // the last tile of rows
    begin_rows
    sub x17, x6, x11
    .if \narrow
    cmp x17, x15
    b.ls 55f
    .endif
    correct 1x2
    columns_begin 2
    all_steps \prefix\()1x2
    store_begin
    mov x27, x5
    store_wide four_wide, za0, za1
    add x11, x11, x15, lsl #1
    cmp x11, x6
    b.lo 50b
    b 90f
    .if \narrow
55: correct 1x1
    columns_begin 1
    all_steps "tall 1"
    store_begin_narrow
    mov x27, x5
    store_narrow za0
    .endif
90: restore_registers
    ret
.endm

function_begin sl_mopa_qd8_sme2_asm
    product , 1
function_end sl_mopa_qd8_sme2_asm

function_begin sl_mopa_q4_sme2_asm
    product q4_, 0
function_end sl_mopa_q4_sme2_asm

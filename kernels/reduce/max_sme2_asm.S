/* kernels/reduce/max_sme2_asm.S: the largest of each row, 16 vectors a turn, in streaming mode.
 *
 * sl_max_rows_f32_sme2_asm(in, rows, count, out) and the same of f16: `rows` rows, at least one, of `count` elements,
 * at least four vectors; the last four vectors of a row may take some elements again. FMAX makes a NaN of a NaN. */
#include "kernels/cpu/asm.h"

.macro max_rows t, ld, shift
    ptrue p0.\t
    ptrue pn8.\t
    lsl x9, x2, #\shift // bytes of a row
    cntb x10, all, mul #4
    sub x11, x9, x10 // to its last four vectors
    cntb x12, all, mul #16
    udiv x12, x9, x12
1:  add x5, x0, x11
    \ld {z0.\t-z3.\t}, pn8/z, [x0]
    \ld {z4.\t-z7.\t}, pn8/z, [x5]
    mov x6, x0
    mov x7, x12
    cbz x7, 3f
2:  \ld {z16.\t-z19.\t}, pn8/z, [x6]
    \ld {z20.\t-z23.\t}, pn8/z, [x6, #4, mul vl]
    \ld {z24.\t-z27.\t}, pn8/z, [x6, #8, mul vl]
    \ld {z28.\t-z31.\t}, pn8/z, [x6, #12, mul vl]
    addvl x6, x6, #16
    subs x7, x7, #1
    fmax {z0.\t-z3.\t}, {z0.\t-z3.\t}, {z16.\t-z19.\t}
    fmax {z4.\t-z7.\t}, {z4.\t-z7.\t}, {z20.\t-z23.\t}
    fmax {z0.\t-z3.\t}, {z0.\t-z3.\t}, {z24.\t-z27.\t}
    fmax {z4.\t-z7.\t}, {z4.\t-z7.\t}, {z28.\t-z31.\t}
    b.ne 2b
3:  cmp x6, x5
    b.hs 5f
4:  \ld {z16.\t-z19.\t}, pn8/z, [x6]
    addvl x6, x6, #4
    cmp x6, x5
    fmax {z0.\t-z3.\t}, {z0.\t-z3.\t}, {z16.\t-z19.\t}
    b.lo 4b
5:  fmax {z0.\t-z3.\t}, {z0.\t-z3.\t}, {z4.\t-z7.\t}
    fmax {z0.\t-z1.\t}, {z0.\t-z1.\t}, {z2.\t-z3.\t}
    fmax z0.\t, p0/m, z0.\t, z1.\t
    fmaxv \t\()0, p0, z0.\t
    str \t\()0, [x3], #(1 << \shift)
    add x0, x0, x9
    subs x1, x1, #1
    b.ne 1b
    ret
.endm

function_begin sl_max_rows_f32_sme2_asm
    max_rows s, ld1w, 2
function_end sl_max_rows_f32_sme2_asm

function_begin sl_max_rows_f16_sme2_asm
    max_rows h, ld1h, 1
function_end sl_max_rows_f16_sme2_asm

/* kernels/reduce/mean_quads_sme2_asm.S: sums of four vectors of columns, four rows a turn.
 *
 * sl_sum_quads_f32_sme2_asm(in, step, rows, columns), all but the first in elements, in streaming mode with ZA
 * on, adds up `rows` rows of `columns`, `step` elements from one to the next, in group 0 of ZA.
 * sl_sum_quads_f16_sme2_asm likewise: the sums of even columns in group 0, those of odd ones in group 1. */
#include "kernels/cpu/asm.h"

// One row at \at: x0, or another from there.
.macro row_f32 group, at:vararg
    ld1w {z0.s-z3.s}, pn8/z, [\at]
    fadd za.s[w8, \group, vgx4], {z0.s-z3.s}
.endm

.macro row_f16 group, at:vararg
    ld1h {z0.h-z3.h}, pn8/z, [\at]
    fmlal za.s[w8, 0:1, vgx4], {z0.h-z3.h}, z15.h
.endm

.macro quads type, shift
    mov w8, wzr
    lsl x5, x1, #1
    add x6, x5, x1
    zero {za}
    subs x2, x2, #4
    b.lo 2f
1:  row_\type 0, x0
    row_\type 1, x0, x1, lsl #\shift
    row_\type 2, x0, x5, lsl #\shift
    row_\type 3, x0, x6, lsl #\shift
    add x0, x0, x1, lsl #(\shift + 2)
    subs x2, x2, #4
    b.hs 1b
2:  adds x2, x2, #4
    b.eq 4f
3:  row_\type 0, x0
    add x0, x0, x1, lsl #\shift
    subs x2, x2, #1
    b.ne 3b
4:
.endm

.macro add_group from, to
    mova {z0.d-z3.d}, za.d[w8, \from, vgx4]
    fadd za.s[w8, \to, vgx4], {z0.s-z3.s}
.endm

function_begin sl_sum_quads_f32_sme2_asm
    whilelt pn8.s, xzr, x3, vlx4
    quads f32, 2
    add_group 1, 0
    add_group 3, 2
    add_group 2, 0
    ret
function_end sl_sum_quads_f32_sme2_asm

function_begin sl_sum_quads_f16_sme2_asm
    str d15, [sp, #-16]!
    whilelt pn8.h, xzr, x3, vlx4
    fmov z15.h, #1.0
    quads f16, 1
    ldr d15, [sp], #16
    ret
function_end sl_sum_quads_f16_sme2_asm

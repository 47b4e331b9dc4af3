/* kernels/matmul/gemv_qd8_panels_sme2_asm.S: one row of int8 times panels of int8 that are packed for outer
 * products.
 *
 * sl_gemv_qd8_panels_sme2_asm(const struct sl_qd8_gemv *), in streaming mode with ZA on. Panels: qd8_mopa.h; what is
 * computed: finish() of qd8_panels. z8-z15 are not touched. */
#include "kernels/cpu/asm.h"
#include "kernels/matmul/gemv_panels8_sme2_asm.inc"
#include "kernels/matmul/gemv_qd8_store_sme2_asm.inc"

.macro start panels
    .if \panels == 0
    mov z28.s, #0
    .else
    zero {za}
    .endif
.endm

// A line of corrections of each panel.
.macro correct panels
    .if \panels == 4
    ld1w {z16.s, z24.s}, pn8/z, [x0]
    ld1w {z17.s, z25.s}, pn8/z, [x17]
    ld1w {z18.s, z26.s}, pn8/z, [x19]
    ld1w {z19.s, z27.s}, pn8/z, [x23]
    correct_four 0, 16, 19
    correct_four 1, 24, 27
    .elseif \panels > 0
    ld1w {z16.s-z17.s}, pn8/z, [x0]
    correct_two 0, 16, 17
    .if \panels == 2
    ld1w {z18.s-z19.s}, pn8/z, [x17]
    correct_two 1, 18, 19
    .endif
    .else
    ld1w {z16.s}, p0/z, [x0]
    sdot z28.s, z16.h, z3.h
    sdot z28.s, z16.h, z5.h
    .endif
.endm

// Heads from their scales on, of two panels.
.macro finish_pair a, b
    ld1w {z20.s-z21.s}, pn8/z, [\a]
    ld1w {z22.s-z23.s}, pn8/z, [\b]
    ld1w {z24.s-z25.s}, pn8/z, [\a, #2, mul vl]
    ld1w {z26.s-z27.s}, pn8/z, [\b, #2, mul vl]
    scale_four
    store_four
.endm

.macro finish panels
    mov x0, x2
    other_panels \panels
    mov x6, x13
7:  correct \panels
    advance8 \panels, 1
    subs x6, x6, #1
    b.ne 7b
    .if \panels == 4
    sums_of_pair8 0
    finish_pair x0, x17
    sums_of_pair8 1
    finish_pair x19, x23
    .else
    sums_of_last8 \panels
    .if \panels == 2
    finish_pair x0, x17
    .elseif \panels == 1
    ld1w {z20.s-z21.s}, pn8/z, [x0]
    ld1w {z24.s-z25.s}, pn8/z, [x0, #2, mul vl]
    scale_four
    store_four
    sub x9, x9, x15
    .else
    ld1w {z20.s}, p0/z, [x0]
    ld1w {z24.s}, p0/z, [x0, #1, mul vl]
    scale_four
    store_four
    .endif
    .endif
.endm

function_begin sl_gemv_qd8_panels_sme2_asm
    save_registers8
    load_job
    ldr x5, [x0, #32]
    lsl x5, x5, #2
    add x12, x13, #2
    measure_panels8
    cntw x15, all, mul #2
    correction_factors
    all_blocks8
    restore_registers8
    ret
function_end sl_gemv_qd8_panels_sme2_asm

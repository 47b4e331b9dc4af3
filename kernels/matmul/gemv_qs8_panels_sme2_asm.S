/* kernels/matmul/gemv_qs8_panels_sme2_asm.S: one row of int8 times panels of int8 that are packed for outer
 * products, requantised.
 *
 * sl_gemv_qs8_panels_sme2_asm(const struct sl_gemv_qs8 *), in streaming mode with ZA on. Panels: mopa_qs8.h; what it
 * computes is what sl_mopa_qs8_scalar() states, of a single row. z8-z15 are not touched. */
#include "kernels/cpu/asm.h"
#include "kernels/matmul/gemv_panels8_sme2_asm.inc"
#include "kernels/matmul/gemv_qs8_store_sme2_asm.inc"

.macro start panels
    mov x0, x2
    other_panels \panels
    .if \panels == 4
    ld1w {z16.s, z24.s}, pn8/z, [x0]
    ld1w {z17.s, z25.s}, pn8/z, [x17]
    ld1w {z18.s, z26.s}, pn8/z, [x19]
    ld1w {z19.s, z27.s}, pn8/z, [x23]
    mova za.d[w8, 0, vgx4], {z16.d-z19.d}
    mova za.d[w8, 1, vgx4], {z24.d-z27.d}
    .elseif \panels > 0
    ld1w {z16.s-z17.s}, pn8/z, [x0]
    mova za.d[w8, 0, vgx2], {z16.d-z17.d}
    .if \panels == 2
    ld1w {z18.s-z19.s}, pn8/z, [x17]
    mova za.d[w8, 1, vgx2], {z18.d-z19.d}
    .endif
    .else
    ld1w {z28.s}, p0/z, [x0]
    .endif
.endm

.macro finish_pair a, b
    ld1w {z20.s-z21.s}, pn8/z, [\a, #2, mul vl]
    ld1w {z22.s-z23.s}, pn8/z, [\b, #2, mul vl]
    requantise_four
.endm

.macro finish panels
    mov x0, x2
    other_panels \panels
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
    ld1w {z20.s-z21.s}, pn8/z, [x0, #2, mul vl]
    requantise_four
    sub x9, x9, x15
    .else
    ld1w {z20.s}, p0/z, [x0, #1, mul vl]
    requantise_four
    .endif
    .endif
.endm

function_begin sl_gemv_qs8_panels_sme2_asm
    save_registers8
    load_job
    ldr x5, [x0, #56]
    mov x12, #2
    measure_panels8
    cntw x15, all, mul #2
    all_blocks8
    restore_registers8
    ret
function_end sl_gemv_qs8_panels_sme2_asm

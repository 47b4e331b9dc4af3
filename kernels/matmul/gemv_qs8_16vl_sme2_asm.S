/* kernels/matmul/gemv_qs8_16vl_sme2_asm.S: one row of int8 times panels of int8, requantised.
 *
 * sl_gemv_qs8_sme2_asm(const struct sl_gemv_qs8 *), in streaming mode with ZA on. What it computes is what
 * sl_mopa_qs8_scalar() states, of a single row. z8-z15 are not touched. The sums are vector groups of ZA. */
#include "kernels/cpu/asm.h"
#include "kernels/matmul/gemv_qs8_store_sme2.h"
#include "kernels/matmul/gemv_words8_sme2.h"

.macro start_group g, groups
    .if \g < \groups
    ld1w {z16.s-z19.s}, pn8/z, [x2, #(\g * 4), mul vl]
    mova za.d[w8, \g, vgx4], {z16.d-z19.d}
    .endif
.endm

// x15: the panel's scales.
.macro finish_group g, groups
    .if \g < \groups
    mova {z16.d-z19.d}, za.d[w8, \g, vgx4]
    ld1w {z20.s-z23.s}, pn8/z, [x15, #(\g * 4), mul vl]
    requantise_four
    .endif
.endm

.macro block8 groups
    start_group 0, \groups
    start_group 1, \groups
    start_group 2, \groups
    start_group 3, \groups
    rdvl x7, #(\groups * 4)
    add x15, x2, x7
    add x2, x15, x7
    mov x1, x10
    mov x6, x11
    all_words8 \groups
    finish_group 0, \groups
    finish_group 1, \groups
    finish_group 2, \groups
    finish_group 3, \groups
.endm

function_begin sl_gemv_qs8_sme2_asm
    load_job
    lsr x11, x5, #2
    and x5, x5, #3
    all_blocks8
function_end sl_gemv_qs8_sme2_asm

/* kernels/matmul/gemv_qs8_16vl_sme2_asm.S: one row of int8 times panels of int8, requantised.
 *
 * sl_gemv_qs8_sme2_asm(const struct sl_gemv_qs8 *), in streaming mode with ZA on. What it computes is what
 * sl_mopa_qs8_scalar() states, of a single row. z8-z15 are not touched. The sums are vector groups of ZA. */
#include "kernels/cpu/asm.h"
#include "kernels/matmul/gemv_qs8_store_sme2_asm.inc"
#include "kernels/matmul/gemv_words8_sme2_asm.inc"

.macro start_group g, groups
    .if \g < \groups
    ld1w {z16.s-z19.s}, pn8/z, [x2, #(\g * 4), mul vl]
    mova za.d[w8, \g, vgx4], {z16.d-z19.d}
    .endif
.endm

.macro take_sums p, q, g, groups
    .if \g < \groups
    mova {z\p\().d-z\q\().d}, za.d[w8, \g, vgx4]
    .endif
.endm

// Times the scales, x15, by ZA, which is 0.
.macro finish_group p, q, g, groups, whole
    .if \g < \groups
    ld1w {z4.s-z7.s}, pn8/z, [x15, #(\g * 4), mul vl]
    scvtf {z\p\().s-z\q\().s}, {z\p\().s-z\q\().s}
    fmla za.s[w8, \g, vgx4], {z\p\().s-z\q\().s}, {z4.s-z7.s}
    mova {z16.d-z19.d}, za.d[w8, \g, vgx4]
    round_four
    .if \whole
    st1b {z16.b}, p0, [x17, #\g, mul vl]
    .else
    store_bytes
    .endif
    .endif
.endm

.macro block8 groups, whole=0
    start_group 0, \groups
    start_group 1, \groups
    start_group 2, \groups
    start_group 3, \groups
    rdvl x7, #(\groups * 4)
    add x15, x2, x7
    add x2, x15, x7
    mov x1, x10
    all_words8 \groups
    take_sums 16, 19, 0, \groups
    take_sums 20, 23, 1, \groups
    take_sums 24, 27, 2, \groups
    take_sums 28, 31, 3, \groups
    zero {za}
    .if \whole
    add x17, x3, x9
    incb x9, all, mul #4
    .endif
    finish_group 16, 19, 0, \groups, \whole
    finish_group 20, 23, 1, \groups, \whole
    finish_group 24, 27, 2, \groups, \whole
    finish_group 28, 31, 3, \groups, \whole
.endm

function_begin sl_gemv_qs8_sme2_asm
    load_job
    lsr x11, x5, #2
    and x5, x5, #3
    all_blocks8
function_end sl_gemv_qs8_sme2_asm

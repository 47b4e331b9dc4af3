/* kernels/matmul/gemv_qs8_16vl_sme2_asm.S: one row of int8 times panels of int8, requantised.
 *
 * sl_gemv_qs8_sme2_asm(const struct sl_gemv_qs8 *), in streaming mode with ZA on. What it computes is what
 * sl_mopa_qs8_scalar() states, of a single row. z8-z15 are not touched. The sums are vector groups of ZA. */
#include "kernels/cpu/asm.h"
#include "kernels/matmul/gemv_words8_sme2.h"

.macro start_group g, groups
    .if \g < \groups
    ld1w {z16.s-z19.s}, pn8/z, [x2, #(\g * 4), mul vl]
    mova za.d[w8, \g, vgx4], {z16.d-z19.d}
    .endif
.endm

// Four vectors of sums are one of bytes, columns x9 on. x15: the panel's scales.
.macro finish_group g, groups
    .if \g < \groups
    mova {z16.d-z19.d}, za.d[w8, \g, vgx4]
    ld1w {z20.s-z23.s}, pn8/z, [x15, #(\g * 4), mul vl]
    scvtf {z16.s-z19.s}, {z16.s-z19.s}
    fmul z16.s, z16.s, z20.s
    fmul z17.s, z17.s, z21.s
    fmul z18.s, z18.s, z22.s
    fmul z19.s, z19.s, z23.s
    frintn {z16.s-z19.s}, {z16.s-z19.s}
    fcvtzs {z16.s-z19.s}, {z16.s-z19.s}
    sclamp {z16.s-z19.s}, z1.s, z2.s
    add {z16.s-z19.s}, {z16.s-z19.s}, z3.s
    sqcvt z16.b, {z16.s-z19.s}
    whilelt p1.b, x9, x4
    st1b {z16.b}, p1, [x3, x9]
    incb x9
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
    ldp x10, x2, [x0]           // the row, weights
    ldp x3, x4, [x0, #16]       // dst, n
    ldr x5, [x0, #32]           // words
    ptrue p0.b
    ptrue pn8.b
    ld1rw {z1.s}, p0/z, [x0, #40]
    ld1rw {z2.s}, p0/z, [x0, #44]
    ld1rw {z3.s}, p0/z, [x0, #48]
    lsr x11, x5, #2
    and x5, x5, #3
    mov w8, wzr
    mov x9, xzr
    all_blocks8
function_end sl_gemv_qs8_sme2_asm

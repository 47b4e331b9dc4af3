/* kernels/matmul/gemv_f32_16vl_sme2_asm.S: one row times packed weights, 16 VL columns at a time.
 *
 * sl_gemv_f32_sme2_asm(const struct sl_gemv_f32 *), in streaming mode with ZA on. What it computes is
 * stated by sl_gemv_f32_scalar() in gemv_scalar.c. z8-z15 are not touched.
 *
 * The sums are four vector groups of ZA. Four k a turn: one load brings four elements of the row, every
 * four vectors of weights take one load and one FMLA by an element. */
#include "kernels/cpu/asm.h"

// x2 stands 32 vectors past the next weights, so that all of four k are in a load's reach.
.macro group z, end, k, g, groups
    .if \g < \groups
    ld1w {z\z\().s-z\end\().s}, pn8/z, [x2, #((\k * \groups + \g) * 4 - 32), mul vl]
    fmla za.s[w8, \g, vgx4], {z\z\().s-z\end\().s}, z0.s[\k]
    .endif
.endm

.macro one_k k, groups
    group 16, 19, \k, 0, \groups
    group 20, 23, \k, 1, \groups
    group 24, 27, \k, 2, \groups
    group 28, 31, \k, 3, \groups
.endm

.macro start_group g, groups
    .if \g < \groups
    ld1w {z16.s-z19.s}, pn8/z, [x2, #(\g * 4 - 32), mul vl]
    mova za.d[w8, \g, vgx4], {z16.d-z19.d}
    .endif
.endm

.macro end_group g, groups
    .if \g < \groups
    mova {z16.d-z19.d}, za.d[w8, \g, vgx4]
    whilelt pn9.s, x9, x4, vlx4
    fmax {z16.s-z19.s}, {z16.s-z19.s}, z1.s
    fmin {z16.s-z19.s}, {z16.s-z19.s}, z2.s
    st1w {z16.s-z19.s}, pn9, [x3, x9, lsl #2]
    incw x9, all, mul #4
    .endif
.endm

// A block of columns: x9 is its first one.
.macro block groups
    start_group 0, \groups
    start_group 1, \groups
    start_group 2, \groups
    start_group 3, \groups
    rdvl x7, #(\groups * 4)
    add x2, x2, x7
    mov x1, x10
    cbz x11, 2f
    mov x6, x11
    lsl x7, x7, #2
1:  ld1rqw {z0.s}, p0/z, [x1]
    one_k 0, \groups
    one_k 1, \groups
    subs x6, x6, #1
    one_k 2, \groups
    one_k 3, \groups
    add x1, x1, #16
    add x2, x2, x7
    b.ne 1b
    lsr x7, x7, #2
2:  ands x6, x5, #3
    b.eq 4f
3:  ld1rw {z0.s}, p0/z, [x1]
    one_k 0, \groups
    add x1, x1, #4
    add x2, x2, x7
    subs x6, x6, #1
    b.ne 3b
4:  end_group 0, \groups
    end_group 1, \groups
    end_group 2, \groups
    end_group 3, \groups
.endm

function_begin sl_gemv_f32_sme2_asm
    ldp x10, x2, [x0]           // the row, weights
    ldp x3, x4, [x0, #16]       // dst, n
    ldr x5, [x0, #32]           // k
    ldp s1, s2, [x0, #40]       // clamp
    mov z1.s, s1
    mov z2.s, s2
    ptrue p0.s
    ptrue pn8.s
    rdvl x7, #16
    add x2, x2, x7, lsl #1
    lsr x11, x5, #2
    mov w8, wzr
    mov x9, xzr
    cntw x12, all, mul #4
    add x13, x12, x12, lsl #1
10: sub x14, x4, x9
    cmp x14, x13
    b.hi 40f
    cmp x14, x12, lsl #1
    b.hi 30f
    cmp x14, x12
    b.hi 20f
    block 1
    ret
20: block 2
    ret
30: block 3
    ret
40: block 4
    cmp x9, x4
    b.lo 10b
    ret
function_end sl_gemv_f32_sme2_asm

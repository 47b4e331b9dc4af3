/* kernels/matmul/matmul_f32_few_sme2_asm.S: a product of f32 that fits one tile, of rows as they lie.
 *
 * sl_mopa_f32_few_sme2_asm(const struct sl_mopa_f32_few *few), in streaming mode with ZA on and zero. What it
 * computes is stated by sl_mopa_f32_few_scalar() in matmul_mopa_scalar.c.
 *
 * VL of k at a time the rows go into za3, from where their columns are taken at once: nothing is packed in
 * memory, which the unit would wait for. The sums are in za0. p2 to p6 need not be kept. */
#include "kernels/cpu/asm.h"

// Which of the elements \some count in rows w12 to w12 + 3: none of rows that are not there.
.macro rows_there some
    psel p3, \some, p2.s[w12, 0]
    psel p4, \some, p2.s[w12, 1]
    psel p5, \some, p2.s[w12, 2]
    psel p6, \some, p2.s[w12, 3]
.endm

function_begin sl_mopa_f32_few_sme2_asm
    ldp x3, x4, [x0, #8]        // the right panel, dst
    ldp x5, x6, [x0, #24]       // its stride, m
    ldp x7, x8, [x0, #40]       // n, k
    ldr w16, [x0, #64]          // is there a clamp?
    ldp x1, x2, [x0, #72]       // left rows, their stride in elements
    ptrue p0.s
    ld1rw {z0.s}, p0/z, [x0, #56]
    ld1rw {z1.s}, p0/z, [x0, #60]
    whilelt p2.s, xzr, x6
    cntw x15
    fmov z2.s, #1.0
    ld1w {z3.s}, p0/z, [x3]
    addvl x3, x3, #1
    fmopa za0.s, p0/m, p0/m, z2.s, z3.s
    lsl x13, x2, #1
    add x14, x13, x2
    mul x17, x8, x15            // floats of the panel
    mov x9, xzr
1:  whilelt p1.s, x9, x8
    add x10, x1, x9, lsl #2
    mov w12, wzr
2:  rows_there p1
    ld1w {z16.s}, p3/z, [x10]
    ld1w {z17.s}, p4/z, [x10, x2, lsl #2]
    ld1w {z18.s}, p5/z, [x10, x13, lsl #2]
    ld1w {z19.s}, p6/z, [x10, x14, lsl #2]
    mova za3h.s[w12, 0:3], {z16.s-z19.s}
    add x10, x10, x2, lsl #4
    add w12, w12, #4
    cmp w12, w6
    b.lo 2b
    sub x11, x8, x9
    cmp x11, x15
    csel x11, x11, x15, lo
    mov w12, wzr
3:  whilelt pn8.s, xzr, x17, vlx4
    mova {z16.s-z19.s}, za3v.s[w12, 0:3]
    ld1w {z4.s-z7.s}, pn8/z, [x3]
    add w12, w12, #4
    addvl x3, x3, #4
    sub x17, x17, x15, lsl #2
    fmopa za0.s, p0/m, p0/m, z16.s, z4.s
    fmopa za0.s, p0/m, p0/m, z17.s, z5.s
    fmopa za0.s, p0/m, p0/m, z18.s, z6.s
    fmopa za0.s, p0/m, p0/m, z19.s, z7.s
    cmp w12, w11
    b.lo 3b
    add x9, x9, x15
    cmp x9, x8
    b.lo 1b
    whilelt p1.s, xzr, x7
    lsl x13, x5, #1
    add x14, x13, x5
    mov w12, wzr
4:  mova {z16.s-z19.s}, za0h.s[w12, 0:3]
    cbz w16, 5f
    fmax {z16.s-z19.s}, {z16.s-z19.s}, z0.s
    fmin {z16.s-z19.s}, {z16.s-z19.s}, z1.s
5:  rows_there p1
    st1w {z16.s}, p3, [x4]
    st1w {z17.s}, p4, [x4, x5, lsl #2]
    st1w {z18.s}, p5, [x4, x13, lsl #2]
    st1w {z19.s}, p6, [x4, x14, lsl #2]
    add x4, x4, x5, lsl #4
    add w12, w12, #4
    cmp w12, w6
    b.lo 4b
    ret
function_end sl_mopa_f32_few_sme2_asm

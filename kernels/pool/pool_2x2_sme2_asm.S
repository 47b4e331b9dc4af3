/* kernels/pool/pool_2x2_sme2_asm.S: a row of largest values of 2x2 windows at stride 2, four vectors
 * of channels of two output pixels a turn. The readable form is pool_scalar.c.
 *
 * sl_pool_max_2x2_sme2_asm(const struct sl_pool_2x2 *), in streaming mode. */
#include "kernels/cpu/asm.h"

.macro clamp_if clamped, vectors
    .if \clamped
    fmax {\vectors}, {\vectors}, z8.s
    fmin {\vectors}, {\vectors}, z9.s
    .endif
.endm

// x9 output pixels, at least one; x10 to x12: upper and lower row, output.
.macro pixels clamped
    subs x13, x9, #2
    b.lo 2f
1:  ld1w {z0.s-z3.s}, pn9/z, [x10]
    ld1w {z4.s-z7.s}, pn9/z, [x10, x4, lsl #2]
    ld1w {z16.s-z19.s}, pn9/z, [x11]
    ld1w {z20.s-z23.s}, pn9/z, [x11, x4, lsl #2]
    fmax {z0.s-z3.s}, {z0.s-z3.s}, {z4.s-z7.s}
    fmax {z16.s-z19.s}, {z16.s-z19.s}, {z20.s-z23.s}
    ld1w {z4.s-z7.s}, pn9/z, [x10, x7, lsl #2]
    ld1w {z20.s-z23.s}, pn9/z, [x10, x8, lsl #2]
    ld1w {z24.s-z27.s}, pn9/z, [x11, x7, lsl #2]
    ld1w {z28.s-z31.s}, pn9/z, [x11, x8, lsl #2]
    fmax {z0.s-z3.s}, {z0.s-z3.s}, {z16.s-z19.s}
    fmax {z4.s-z7.s}, {z4.s-z7.s}, {z20.s-z23.s}
    fmax {z24.s-z27.s}, {z24.s-z27.s}, {z28.s-z31.s}
    fmax {z4.s-z7.s}, {z4.s-z7.s}, {z24.s-z27.s}
    clamp_if \clamped, z0.s-z3.s
    clamp_if \clamped, z4.s-z7.s
    st1w {z0.s-z3.s}, pn9, [x12]
    st1w {z4.s-z7.s}, pn9, [x12, x4, lsl #2]
    add x10, x10, x4, lsl #4
    add x11, x11, x4, lsl #4
    add x12, x12, x4, lsl #3
    subs x13, x13, #2
    b.hs 1b
2:  tbz x9, #0, 3f
    ld1w {z0.s-z3.s}, pn9/z, [x10]
    ld1w {z4.s-z7.s}, pn9/z, [x10, x4, lsl #2]
    ld1w {z16.s-z19.s}, pn9/z, [x11]
    ld1w {z20.s-z23.s}, pn9/z, [x11, x4, lsl #2]
    fmax {z0.s-z3.s}, {z0.s-z3.s}, {z4.s-z7.s}
    fmax {z16.s-z19.s}, {z16.s-z19.s}, {z20.s-z23.s}
    fmax {z0.s-z3.s}, {z0.s-z3.s}, {z16.s-z19.s}
    clamp_if \clamped, z0.s-z3.s
    st1w {z0.s-z3.s}, pn9, [x12]
3:
.endm

function_begin sl_pool_max_2x2_sme2_asm
    ldp x1, x2, [x0]            // upper and lower row
    ldp x3, x4, [x0, #16]       // output, channels
    ldr x9, [x0, #32]           // pixels
    ldr x6, [x0, #40]           // bounds
    ptrue p0.s
    ld1rw {z8.s}, p0/z, [x0, #40]
    ld1rw {z9.s}, p0/z, [x0, #44]
    mov x7, #0xff800000         // -inf, +inf: no clamp
    movk x7, #0x7f80, lsl #48
    cmp x6, x7
    cset w14, ne
    lsl x7, x4, #1
    add x8, x7, x4
    cntw x15, all, mul #4
    mov x5, xzr
10: whilelt pn9.s, x5, x4, vlx4
    add x10, x1, x5, lsl #2
    add x11, x2, x5, lsl #2
    add x12, x3, x5, lsl #2
    cbz w14, 20f
    pixels 1
    b 30f
20: pixels 0
30: add x5, x5, x15
    cmp x5, x4
    b.lo 10b
    ret
function_end sl_pool_max_2x2_sme2_asm

/* kernels/matmul/gemv_qd8_store_sme2.h: what the dynamic int8 products of single rows share, for
 * assembly files: struct sl_qd8_gemv, and results to dst.
 *
 * x10 the row, x2 weights, x3 dst, x4 n, x9 the first column, x11 and x5 words by four and the rest,
 * x13 groups, w16 half. p0, pn8: all. z1 and z2: the clamp, z3 and z4: the row's zero point and
 * scale. w8: 0. */
#pragma once

.macro load_job
    ldp x10, x2, [x0]           // the row, weights
    ldp x3, x4, [x0, #16]       // dst, n
    ldp x5, x13, [x0, #32]      // words, groups
    ldp s1, s2, [x0, #48]       // clamp
    ldp s4, s3, [x0, #56]       // scale and zero point of the row
    ldr w16, [x0, #64]          // half?
    mov z1.s, s1
    mov z2.s, s2
    mov z3.s, s3
    mov z4.s, s4
    ptrue p0.b
    ptrue pn8.b
    lsr x11, x5, #2
    and x5, x5, #3
    mov w8, wzr
    mov x9, xzr
.endm

.macro load_nibble_values
    ldr x17, [x0, #72]
    ldr zt0, [x17]
.endm

// Four vectors of results in z16-z19 to columns x9 on.
.macro store_four
    fclamp {z16.s-z19.s}, z1.s, z2.s
    store_bounded
.endm

.macro store_bounded
    cbnz w16, 1f
    whilelt pn9.s, x9, x4, vlx4
    st1w {z16.s-z19.s}, pn9, [x3, x9, lsl #2]
    b 2f
1:  whilelt pn9.h, x9, x4, vlx2
    fcvt z16.h, {z16.s-z17.s}
    fcvt z17.h, {z18.s-z19.s}
    st1h {z16.h-z17.h}, pn9, [x3, x9, lsl #1]
2:  incw x9, all, mul #4
.endm

// Weights by channel. Their corrections are pairs of int16 (low, high), low + 256 high: z3 and z5
// become what two dot products of them take, the row's -z for low, and -128 z for high, twice.
.macro correction_factors
    subr z3.s, z3.s, #0
    lsl z5.s, z3.s, #23
    mov z6.s, #-65536
    and z5.d, z5.d, z6.d
    and z3.s, z3.s, #0xffff
    orr z3.d, z3.d, z5.d
.endm

.macro correct_four g, first, last
    sdot za.s[w8, \g, vgx4], {z\first\().h-z\last\().h}, z3.h
    sdot za.s[w8, \g, vgx4], {z\first\().h-z\last\().h}, z5.h
.endm

.macro correct_two g, first, last
    sdot za.s[w8, \g, vgx2], {z\first\().h-z\last\().h}, z3.h
    sdot za.s[w8, \g, vgx2], {z\first\().h-z\last\().h}, z5.h
.endm

// Four vectors of sums in z16-z19 by the row's scale and those in z20-z23, and biases in z24-z27.
.macro scale_four
    scvtf {z16.s-z19.s}, {z16.s-z19.s}
    fmul z16.s, z16.s, z4.s
    fmul z17.s, z17.s, z4.s
    fmul z18.s, z18.s, z4.s
    fmul z19.s, z19.s, z4.s
    fmad z16.s, p0/m, z20.s, z24.s
    fmad z17.s, p0/m, z21.s, z25.s
    fmad z18.s, p0/m, z22.s, z26.s
    fmad z19.s, p0/m, z23.s, z27.s
.endm

/* kernels/matmul/gemv_qs8_store_sme2.h: what the static int8 products of single rows share, for assembly files:
 * struct sl_gemv_qs8, and results to dst.
 *
 * x10 the row, x2 weights, x3 dst, x4 n, x5 words, x9 the first column. p0, pn8: all. z1-z3: min, max and zero of the
 * output. w8: 0. */
#pragma once

.macro load_job
    ldp x10, x2, [x0]
    ldp x3, x4, [x0, #16]
    ldr x5, [x0, #32]
    ptrue p0.b
    ptrue pn8.b
    ld1rw {z1.s}, p0/z, [x0, #40]
    ld1rw {z2.s}, p0/z, [x0, #44]
    ld1rw {z3.s}, p0/z, [x0, #48]
    mov w8, wzr
    mov x9, xzr
.endm

// Four vectors of results in z16-z19 to one of bytes, z16.
.macro round_four
    frintn {z16.s-z19.s}, {z16.s-z19.s}
    fcvtzs {z16.s-z19.s}, {z16.s-z19.s}
    sclamp {z16.s-z19.s}, z1.s, z2.s
    add {z16.s-z19.s}, {z16.s-z19.s}, z3.s
    sqcvt z16.b, {z16.s-z19.s}
.endm

// To columns x9 on.
.macro store_bytes
    whilelt p1.b, x9, x4
    st1b {z16.b}, p1, [x3, x9]
    incb x9
.endm

// Four vectors of sums in z16-z19 by the scales in z20-z23, to columns x9 on.
.macro requantise_four
    scvtf {z16.s-z19.s}, {z16.s-z19.s}
    fmul z16.s, z16.s, z20.s
    fmul z17.s, z17.s, z21.s
    fmul z18.s, z18.s, z22.s
    fmul z19.s, z19.s, z23.s
    round_four
    store_bytes
.endm

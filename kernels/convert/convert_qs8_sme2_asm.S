/* kernels/convert/convert_qs8_sme2_asm.S: floats to int8 and back, 64 VL elements a turn, for vectors of at
 * least 16 floats: a product by one number is a multi-vector FMLA into zeros of ZA.
 *
 * sl_convert_qs8_f32_sme2_asm(const float *in, int8_t *out, size_t turns, float multiplier, int32_t zero):
 * out = narrow(round(in * multiplier) + zero). Right where nothing leaves int32: otherwise, and for a NaN, it returns
 * not 0, by the invalid-operation bit of FPSR.
 * sl_convert_f32_qs8_sme2_asm(const int8_t *in, float *out, size_t turns, float multiplier, int32_t zero):
 * out = (in + zero) * multiplier.
 * Both in streaming mode with ZA on, turns at least 1; z8-z15 are not touched. */
#include "kernels/cpu/asm.h"

.macro begin
    mov z4.s, s0
    mov z5.s, w3
    ptrue pn8.b
    mov w8, #0
    mov w9, #8
    rdvl x6, #31
    addvl x6, x6, #1            // 32 vectors
    lsl x7, x6, #1              // 64
.endm

// Quad \a-\d times the multiplier through group \g of ZA.
.macro product a, d, g
    .if \g < 8
    fmla za.s[w8, \g, vgx4], {z\a\().s-z\d\().s}, z4.s
    mova {z\a\().d-z\d\().d}, za.d[w8, \g, vgx4]
    .else
    fmla za.s[w9, (\g - 8), vgx4], {z\a\().s-z\d\().s}, z4.s
    mova {z\a\().d-z\d\().d}, za.d[w9, (\g - 8), vgx4]
    .endif
.endm

.macro to_bytes b, a, d, g
    ld1w {z\a\().s-z\d\().s}, pn8/z, [x0, #(\g * 4 - 32), mul vl]
    product \a, \d, \g
    frintn {z\a\().s-z\d\().s}, {z\a\().s-z\d\().s}
    fcvtzs {z\a\().s-z\d\().s}, {z\a\().s-z\d\().s}
    add {z\a\().s-z\d\().s}, {z\a\().s-z\d\().s}, z5.s
    sqcvt z\b\().b, {z\a\().s-z\d\().s}
.endm

.macro four_to_bytes at
    to_bytes 0, 16, 19, (4 * \at)
    to_bytes 1, 20, 23, (4 * \at + 1)
    to_bytes 2, 24, 27, (4 * \at + 2)
    to_bytes 3, 28, 31, (4 * \at + 3)
    st1b {z0.b-z3.b}, pn8, [x1, #(4 * \at), mul vl]
.endm

.macro of_bytes b, a, d, g
    sunpk {z6.h-z7.h}, z\b\().b
    sunpk {z\a\().s-z\d\().s}, {z6.h-z7.h}
    add {z\a\().s-z\d\().s}, {z\a\().s-z\d\().s}, z5.s
    scvtf {z\a\().s-z\d\().s}, {z\a\().s-z\d\().s}
    product \a, \d, \g
    st1w {z\a\().s-z\d\().s}, pn8, [x1, #(\g * 4 - 32), mul vl]
.endm

.macro four_of_bytes at
    ld1b {z0.b-z3.b}, pn8/z, [x0, #(4 * \at), mul vl]
    of_bytes 0, 16, 19, (4 * \at)
    of_bytes 1, 20, 23, (4 * \at + 1)
    of_bytes 2, 24, 27, (4 * \at + 2)
    of_bytes 3, 28, 31, (4 * \at + 3)
.endm

function_begin sl_convert_qs8_f32_sme2_asm
    begin
    add x0, x0, x6
    mrs x10, fpsr
    bic x11, x10, #1
    msr fpsr, x11
1:  zero {za}
    four_to_bytes 0
    four_to_bytes 1
    four_to_bytes 2
    four_to_bytes 3
    subs x2, x2, #1
    add x0, x0, x7
    addvl x1, x1, #16
    b.ne 1b
    mrs x11, fpsr
    orr x10, x10, x11
    msr fpsr, x10
    and x0, x11, #1
    ret
function_end sl_convert_qs8_f32_sme2_asm

function_begin sl_convert_f32_qs8_sme2_asm
    begin
    add x1, x1, x6
1:  zero {za}
    four_of_bytes 0
    four_of_bytes 1
    four_of_bytes 2
    four_of_bytes 3
    subs x2, x2, #1
    addvl x0, x0, #16
    add x1, x1, x7
    b.ne 1b
    ret
function_end sl_convert_f32_qs8_sme2_asm

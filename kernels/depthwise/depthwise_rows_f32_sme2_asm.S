/* kernels/depthwise/depthwise_rows_f32_sme2_asm.S: depthwise convolution of few channels of f32, see
 * depthwise_rows_sme2_asm.inc. Output row r has group r. */
#include "kernels/cpu/asm.h"

#define FUNCTION_3X3 sl_depthwise_rows_f32_3x3_sme2_asm
#define FUNCTION_5X5 sl_depthwise_rows_f32_5x5_sme2_asm
#define FUNCTION_3X3S2 sl_depthwise_rows_f32_3x3s2_sme2_asm
#define LOAD ld1w
#define STORE st1w
#define T s
#define LANES incw
#define SHIFT 2

.macro bounds
    mov z12.s, s12
    mov z13.s, s13
.endm

.macro start_rows
    ld1w {z24.s-z27.s}, pn9/z, [x21]
    mova za.d[w8, 0, vgx4], {z24.d-z27.d}
    mova za.d[w8, 1, vgx4], {z24.d-z27.d}
    mova za.d[w8, 2, vgx4], {z24.d-z27.d}
    mova za.d[w8, 3, vgx4], {z24.d-z27.d}
.endm

.macro product i, z, row, weight
    fmla za.s[w8, \row, vgx4], {\z}, {\weight}
.endm

.macro finish_row row, x
    mova {z28.d-z31.d}, za.d[w8, \row, vgx4]
    fmax {z28.s-z31.s}, {z28.s-z31.s}, z12.s
    fmin {z28.s-z31.s}, {z28.s-z31.s}, z13.s
    st1w {z28.s-z31.s}, pn8, [\x, x19, lsl #2]
.endm

.macro finish_rows
    finish_row 3, x7
    finish_row 2, x6
    finish_row 1, x5
    finish_row 0, x4
.endm

#include "kernels/depthwise/depthwise_rows_sme2_asm.inc"

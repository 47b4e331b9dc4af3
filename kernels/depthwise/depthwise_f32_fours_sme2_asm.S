/* kernels/depthwise/depthwise_f32_fours_sme2_asm.S: 3x3 depthwise convolution of f32 at stride 2 of one vector of
 * channels, see depthwise_fours_sme2_asm.inc. An output column has a group of ZA. */
#include "kernels/cpu/asm.h"

#define FUNCTION sl_depthwise_3x3s2_fours_sme2_asm
#define LOAD ld1w
#define STORE st1w
#define T s
#define SHIFT 2
#define FIRST_TAP 4

.macro bounds
    mov z10.s, s10
    mov z11.s, s11
.endm

.macro bias_registers
    ld1w {z12.s-z15.s}, pn8/z, [x5]
.endm

.macro product at, rows, weight
    fmla za.s[w8, \at, vgx4], {\rows}, \weight
.endm

.macro biases rows, a, b
    mova za.d[w8, \a, vgx4], {z12.d-z15.d}
    mova za.d[w8, \b, vgx4], {z12.d-z15.d}
.endm

.macro column_to at, registers_d, registers
    mova {\registers_d}, za.d[w8, \at, vgx4]
    fmax {\registers}, {\registers}, z10.s
    fmin {\registers}, {\registers}, z11.s
.endm

.macro emit rows, a, b
    column_to \a, z16.d-z19.d, z16.s-z19.s
    column_to \b, z24.d-z27.d, z24.s-z27.s
    store 0, \rows, pn8, z16.s, z24.s
    store 1, \rows, pn8, z17.s, z25.s
    store 2, \rows, pn8, z18.s, z26.s
    store 3, \rows, pn8, z19.s, z27.s
.endm

.macro emit_one rows, at
    column_to \at, z16.d-z19.d, z16.s-z19.s
    store 0, \rows, p1, z16.s
    store 1, \rows, p1, z17.s
    store 2, \rows, p1, z18.s
    store 3, \rows, p1, z19.s
.endm

.macro other_columns
    add w8, w8, #2
.endm

#include "kernels/depthwise/depthwise_fours_sme2_asm.inc"

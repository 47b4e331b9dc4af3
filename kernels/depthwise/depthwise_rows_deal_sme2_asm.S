/* kernels/depthwise/depthwise_rows_deal_sme2_asm.S: rows of pixels dealt to even and odd ones, eight vectors a turn.
 *
 * sl_depthwise_rows_deal_<size>_sme2_asm(const struct sl_depthwise_rows_deal *), in streaming mode, for pixels of 1, 2, 4,
 * 8, 16 (VL at least 8) and 32 bytes (VL at least 16). The readable form is rows_deal_any() of depthwise_rows_sme2.h. */
#include "kernels/cpu/asm.h"

.macro deal_2 element, even, odd
    uzp {z16.\element, z17.\element}, z0.\element, z1.\element
    uzp {z20.\element, z21.\element}, z2.\element, z3.\element
    uzp {z24.\element, z25.\element}, z4.\element, z5.\element
    uzp {z28.\element, z29.\element}, z6.\element, z7.\element
    st1b {z16.b, z20.b, z24.b, z28.b}, \even, [x3, x16]
    st1b {z17.b, z21.b, z25.b, z29.b}, \odd, [x4, x16]
.endm

// Two elements a pixel.
.macro deal_4 element, even, odd
    uzp {z0.\element-z3.\element}, {z0.\element-z3.\element}
    uzp {z4.\element-z7.\element}, {z4.\element-z7.\element}
    zip {z16.\element, z17.\element}, z0.\element, z1.\element
    zip {z18.\element, z19.\element}, z4.\element, z5.\element
    zip {z20.\element, z21.\element}, z2.\element, z3.\element
    zip {z22.\element, z23.\element}, z6.\element, z7.\element
    st1b {z16.b-z19.b}, \even, [x3, x16]
    st1b {z20.b-z23.b}, \odd, [x4, x16]
.endm

.macro rows_of deal, element, pixel
    ldp x1, x2, [x0]            // in, its line
    ldp x3, x4, [x0, #16]       // even pixels, odd pixels
    ldp x5, x6, [x0, #32]       // their line, bytes of a row
    ldr x7, [x0, #48]           // rows
    rdvl x8, #8
    udiv x9, x6, x8             // whole turns of a row
    msub x6, x9, x8, x6         // bytes left
    rdvl x8, #4
    ptrue pn8.b
    whilelt pn9.b, xzr, x6, vlx4
    whilelt pn10.b, x8, x6, vlx4
    add x10, x6, #\pixel
    and x11, x10, #-(2 * \pixel)
    lsr x11, x11, #1            // of even pixels, of odd ones
    sub x10, x6, x11
    whilelt pn11.b, xzr, x11, vlx4
    whilelt pn12.b, xzr, x10, vlx4
1:  mov x12, x1
    mov x16, xzr
    mov x15, x9
    cbz x15, 3f
2:  ld1b {z0.b-z3.b}, pn8/z, [x12]
    ld1b {z4.b-z7.b}, pn8/z, [x12, #4, mul vl]
    \deal \element, pn8, pn8
    addvl x12, x12, #8
    addvl x16, x16, #4
    subs x15, x15, #1
    b.ne 2b
3:  ld1b {z0.b-z3.b}, pn9/z, [x12]
    ld1b {z4.b-z7.b}, pn10/z, [x12, #4, mul vl]
    \deal \element, pn11, pn12
    add x1, x1, x2
    add x3, x3, x5
    add x4, x4, x5
    subs x7, x7, #1
    b.ne 1b
    ret
.endm

function_begin sl_depthwise_rows_deal_1_sme2_asm
    rows_of deal_2, b, 1
function_end sl_depthwise_rows_deal_1_sme2_asm

function_begin sl_depthwise_rows_deal_2_sme2_asm
    rows_of deal_2, h, 2
function_end sl_depthwise_rows_deal_2_sme2_asm

function_begin sl_depthwise_rows_deal_4_sme2_asm
    rows_of deal_2, s, 4
function_end sl_depthwise_rows_deal_4_sme2_asm

function_begin sl_depthwise_rows_deal_8_sme2_asm
    rows_of deal_2, d, 8
function_end sl_depthwise_rows_deal_8_sme2_asm

function_begin sl_depthwise_rows_deal_16_sme2_asm
    rows_of deal_2, q, 16
function_end sl_depthwise_rows_deal_16_sme2_asm

function_begin sl_depthwise_rows_deal_32_sme2_asm
    rows_of deal_4, q, 32
function_end sl_depthwise_rows_deal_32_sme2_asm

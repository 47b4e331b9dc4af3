/* kernels/depthwise/depthwise_rows_deal_sme2_asm.S: rows of pixels dealt to even and odd ones, eight vectors a turn.
 *
 * sl_depthwise_rows_deal_<size>_sme2_asm(const struct sl_depthwise_rows_deal *), in streaming mode, for pixels of 1, 2, 4,
 * 8, 16 (VL at least 8) and 32 bytes (VL at least 16); _any_ pixel by pixel, of up to four vectors each. */
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
    zip {z24.\element, z25.\element}, z2.\element, z3.\element
    zip {z26.\element, z27.\element}, z6.\element, z7.\element
    st1b {z16.b-z19.b}, \even, [x3, x16]
    st1b {z24.b-z27.b}, \odd, [x4, x16]
.endm

// Prepares the padding pn13, pn14 behind the even and odd pixels of a whole row, which end at x13, x14.
.macro padding
    ldp x9, x10, [x0, #56]      // bytes of padding behind even pixels, behind odd ones
    whilelt pn13.b, xzr, x9, vlx2
    whilelt pn14.b, xzr, x10, vlx2
    ldr w15, [x0, #72]          // its value
    mov z22.b, w15
    mov z23.d, z22.d
.endm

.macro next_row
    st1b {z22.b-z23.b}, pn13, [x3, x13]
    st1b {z22.b-z23.b}, pn14, [x4, x14]
    add x1, x1, x2
    add x3, x3, x5
    add x4, x4, x5
    subs x7, x7, #1
    b.ne 1b
    ret
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
    madd x13, x9, x8, x11
    madd x14, x9, x8, x10
    mov x17, x9
    padding
1:  mov x12, x1
    mov x16, xzr
    mov x15, x17
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
    next_row
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

.macro pixel from, to
    ld1b {z0.b-z3.b}, pn8/z, [\from, x12]
    st1b {z0.b-z3.b}, pn8, [\to, x16]
.endm

function_begin sl_depthwise_rows_deal_any_sme2_asm
    ldp x1, x2, [x0]            // as above
    ldp x3, x4, [x0, #16]
    ldp x5, x6, [x0, #32]
    ldr x7, [x0, #48]
    padding
    ldr x8, [x0, #80]           // bytes of a pixel
    whilelt pn8.b, xzr, x8, vlx4
    udiv x6, x6, x8             // pixels of a row
    lsr x14, x6, #1
    sub x13, x6, x14
    mul x13, x13, x8
    mul x14, x14, x8
1:  add x9, x1, x8              // the second of four pixels, the third, the fourth
    add x10, x9, x8
    add x11, x10, x8
    add x17, x3, x8             // where the third goes, the fourth
    add x0, x4, x8
    mov x12, xzr
    mov x16, xzr
    lsr x15, x6, #2
    cbz x15, 3f
2:  pixel x1, x3
    pixel x9, x4
    pixel x10, x17
    pixel x11, x0
    add x12, x12, x8, lsl #2
    add x16, x16, x8, lsl #1
    subs x15, x15, #1
    b.ne 2b
3:  ands x15, x6, #3
    b.eq 4f
    pixel x1, x3
    cmp x15, #2
    b.lo 4f
    pixel x9, x4
    b.eq 4f
    pixel x10, x17
4:  next_row
function_end sl_depthwise_rows_deal_any_sme2_asm

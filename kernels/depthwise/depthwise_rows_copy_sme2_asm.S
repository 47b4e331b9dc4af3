/* kernels/depthwise/depthwise_rows_copy_sme2_asm.S: rows of bytes into a padded image: 16 vectors a turn.
 *
 * sl_depthwise_rows_copy_sme2_asm(const struct sl_depthwise_rows_copy *), in streaming mode. */
#include "kernels/cpu/asm.h"

.macro move some, at
    ld1b {z0.b-z3.b}, \some/z, [x9, #\at, mul vl]
    st1b {z0.b-z3.b}, \some, [x10, #\at, mul vl]
.endm

function_begin sl_depthwise_rows_copy_sme2_asm
    ldp x1, x2, [x0]            // in, its line
    ldp x3, x4, [x0, #16]       // out, its line
    ldp x5, x6, [x0, #32]       // bytes, rows
    ldp x7, x0, [x0, #48]       // bytes of padding, their value
    mov z16.b, w0
    mov z17.d, z16.d
    mov z18.d, z16.d
    mov z19.d, z16.d
    ptrue pn8.b
    rdvl x8, #16
    udiv x11, x5, x8            // whole turns of a row
    msub x12, x11, x8, x5       // bytes left, in up to four quads
    rdvl x8, #4
    mov x13, xzr
    whilelt pn9.b, x13, x12, vlx4
    add x13, x13, x8
    whilelt pn10.b, x13, x12, vlx4
    add x14, x13, x8
    whilelt pn11.b, x14, x12, vlx4
    add x15, x14, x8
    whilelt pn12.b, x15, x12, vlx4
    whilelt pn13.b, xzr, x7, vlx4
    whilelt pn14.b, x8, x7, vlx4
1:  mov x9, x1
    mov x10, x3
    mov x16, x11
    cbz x16, 3f
2:  ld1b {z0.b-z3.b}, pn8/z, [x9]
    ld1b {z4.b-z7.b}, pn8/z, [x9, #4, mul vl]
    ld1b {z20.b-z23.b}, pn8/z, [x9, #8, mul vl]
    ld1b {z24.b-z27.b}, pn8/z, [x9, #12, mul vl]
    st1b {z0.b-z3.b}, pn8, [x10]
    st1b {z4.b-z7.b}, pn8, [x10, #4, mul vl]
    st1b {z20.b-z23.b}, pn8, [x10, #8, mul vl]
    st1b {z24.b-z27.b}, pn8, [x10, #12, mul vl]
    addvl x9, x9, #16
    addvl x10, x10, #16
    subs x16, x16, #1
    b.ne 2b
3:  move pn9, 0
    cmp x13, x12
    b.hs 4f
    move pn10, 4
    cmp x14, x12
    b.hs 4f
    move pn11, 8
    move pn12, 12
4:  add x9, x3, x5
    st1b {z16.b-z19.b}, pn13, [x9]
    st1b {z16.b-z19.b}, pn14, [x9, #4, mul vl]
    add x1, x1, x2
    add x3, x3, x4
    subs x6, x6, #1
    b.ne 1b
    ret
function_end sl_depthwise_rows_copy_sme2_asm

/* kernels/pack/distances_asm.h: where the 16 rows of a tile are from its first: registers x7-x11, x16, x17
 * and x19-x26 for rows at equal distances, of which assembly keeps x2. */
#pragma once

// The distances of 16 rows, x2 from each to the next.
.macro distances_of_16
    mov x7, x2
    add x8, x7, x2
    add x9, x8, x2
    add x10, x9, x2
    add x11, x10, x2
    add x16, x11, x2
    add x17, x16, x2
    add x19, x17, x2
    add x20, x19, x2
    add x21, x20, x2
    add x22, x21, x2
    add x23, x22, x2
    add x24, x23, x2
    add x25, x24, x2
    add x26, x25, x2
.endm

// Register \reg is the distance of row \row, \before that of the row before; there are \rows of them.
.macro distance reg, before, row, rows, spare
    cmp \rows, #\row
    csel \spare, x2, xzr, hi
    add \reg, \before, \spare
.endm

.macro distances rows, spare
    cmp \rows, #1
    csel x7, x2, xzr, hi
    distance x8, x7, 2, \rows, \spare
    distance x9, x8, 3, \rows, \spare
    distance x10, x9, 4, \rows, \spare
    distance x11, x10, 5, \rows, \spare
    distance x16, x11, 6, \rows, \spare
    distance x17, x16, 7, \rows, \spare
    distance x19, x17, 8, \rows, \spare
    distance x20, x19, 9, \rows, \spare
    distance x21, x20, 10, \rows, \spare
    distance x22, x21, 11, \rows, \spare
    distance x23, x22, 12, \rows, \spare
    distance x24, x23, 13, \rows, \spare
    distance x25, x24, 14, \rows, \spare
    distance x26, x25, 15, \rows, \spare
.endm

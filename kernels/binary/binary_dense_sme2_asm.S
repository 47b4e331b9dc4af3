/* kernels/binary/binary_dense_sme2_asm.S: binary operators on floats, see binary_dense_sme2_asm.inc. There
 * is no addition of four vectors to four, but there is one to a group of ZA: with a move in and out that
 * is one instruction less. */
#include "kernels/cpu/asm.h"

#define BINARY_FUNCTION sl_binary_\op\()_sme2_asm
#define LOAD ld1w
#define STORE st1w
#define T s
#define COUNT cntw
#define SHIFT 2

.macro load_bounds
    ld1rw {z8.s}, p0/z, [x0, #48]
    ld1rw {z9.s}, p0/z, [x0, #52]
.endm

.macro op_add
    mova za.d[w8, 0, vgx4], {z0.d-z3.d}
    mova za.d[w8, 1, vgx4], {z16.d-z19.d}
    fadd za.s[w8, 0, vgx4], {z4.s-z7.s}
    fadd za.s[w8, 1, vgx4], {z20.s-z23.s}
    mova {z0.d-z3.d}, za.d[w8, 0, vgx4]
    mova {z16.d-z19.d}, za.d[w8, 1, vgx4]
.endm

.macro op_subtract
    mova za.d[w8, 0, vgx4], {z0.d-z3.d}
    mova za.d[w8, 1, vgx4], {z16.d-z19.d}
    fsub za.s[w8, 0, vgx4], {z4.s-z7.s}
    fsub za.s[w8, 1, vgx4], {z20.s-z23.s}
    mova {z0.d-z3.d}, za.d[w8, 0, vgx4]
    mova {z16.d-z19.d}, za.d[w8, 1, vgx4]
.endm

#include "kernels/binary/binary_dense_sme2_asm.inc"

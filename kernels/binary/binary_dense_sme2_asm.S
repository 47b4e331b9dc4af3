/* kernels/binary/binary_dense_sme2_asm.S: binary operators on floats, see binary_dense_sme2_asm.inc. There
 * is no addition of four vectors to four, but there is one to a group of ZA: with a move in and out that
 * is one instruction less, and a fourth of the time where the unit takes one vector in four cycles; so
 * is a product. */
#include "kernels/cpu/asm.h"

#define BINARY_FUNCTION sl_binary_\op\()_sme2_asm
#define LOAD ld1w
#define STORE st1w
#define T s
#define COUNT cntw
#define SHIFT 2

.macro load_bounds op
    ld1rw {z8.s}, p0/z, [x0, #48]
    ld1rw {z9.s}, p0/z, [x0, #52]
    .ifc \op, multiply          // -0
    mov z12.s, #0x80000000
    mov z13.s, #0x80000000
    mov z14.s, #0x80000000
    mov z15.s, #0x80000000
    .endif
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

// A product added to -0 is the product, whatever its sign: added to 0, -0 would be 0.
.macro op_multiply
    mova za.d[w8, 0, vgx4], {z12.d-z15.d}
    mova za.d[w8, 1, vgx4], {z12.d-z15.d}
    fmla za.s[w8, 0, vgx4], {z0.s-z3.s}, {z4.s-z7.s}
    fmla za.s[w8, 1, vgx4], {z16.s-z19.s}, {z20.s-z23.s}
    mova {z0.d-z3.d}, za.d[w8, 0, vgx4]
    mova {z16.d-z19.d}, za.d[w8, 1, vgx4]
.endm

#include "kernels/binary/binary_dense_sme2_asm.inc"

/* kernels/binary/binary_dense_f16_sme2_asm.S: binary operators on halves, see binary_dense_sme2_asm.inc. */
#include "kernels/cpu/asm.h"

#define BINARY_FUNCTION sl_binary_\op\()_f16_sme2_asm
#define LOAD ld1h
#define STORE st1h
#define T h
#define COUNT cnth
#define SHIFT 1

.macro load_bounds op
    ldp s8, s9, [x0, #48]
    fcvt h8, s8
    fcvt h9, s9
    mov z8.h, h8
    mov z9.h, h9
.endm

.macro op_add
    fadd z0.h, z0.h, z4.h
    fadd z1.h, z1.h, z5.h
    fadd z2.h, z2.h, z6.h
    fadd z3.h, z3.h, z7.h
    fadd z16.h, z16.h, z20.h
    fadd z17.h, z17.h, z21.h
    fadd z18.h, z18.h, z22.h
    fadd z19.h, z19.h, z23.h
.endm

.macro op_subtract
    fsub z0.h, z0.h, z4.h
    fsub z1.h, z1.h, z5.h
    fsub z2.h, z2.h, z6.h
    fsub z3.h, z3.h, z7.h
    fsub z16.h, z16.h, z20.h
    fsub z17.h, z17.h, z21.h
    fsub z18.h, z18.h, z22.h
    fsub z19.h, z19.h, z23.h
.endm

.macro op_multiply
    fmul z0.h, z0.h, z4.h
    fmul z1.h, z1.h, z5.h
    fmul z2.h, z2.h, z6.h
    fmul z3.h, z3.h, z7.h
    fmul z16.h, z16.h, z20.h
    fmul z17.h, z17.h, z21.h
    fmul z18.h, z18.h, z22.h
    fmul z19.h, z19.h, z23.h
.endm

#include "kernels/binary/binary_dense_sme2_asm.inc"

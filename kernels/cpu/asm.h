/* kernels/cpu/asm.h: how a function of an assembly file begins and ends, on Linux and macOS. */
#pragma once

#if defined(__APPLE__)
.macro function_begin name
    .text
    .p2align 4
    .globl _\name
    .private_extern _\name
_\name:
.endm
.macro function_end name
.endm
#else
.macro function_begin name
    .text
    .p2align 4
    .globl \name
    .hidden \name
    .type \name, %function
\name:
.endm
.macro function_end name
    .size \name, . - \name
    .section .note.GNU-stack, "", %progbits
.endm
#endif

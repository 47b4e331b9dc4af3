/* kernels/cpu/streaming_sme2_asm.S: into streaming mode and back. The readable form is a function
 * that is __arm_locally_streaming (and __arm_new("za")) and calls its first argument with its second. */
#include "kernels/cpu/asm.h"

#if defined(__APPLE__)
#define TPIDR2_SAVE ___arm_tpidr2_save
#else
#define TPIDR2_SAVE __arm_tpidr2_save
#endif

// SMSTART and SMSTOP clear the vector registers, so d8-d15 go to memory.
.macro save_registers
    stp x29, x30, [sp, #-80]!
    mov x29, sp
    stp d8, d9, [sp, #16]
    stp d10, d11, [sp, #32]
    stp d12, d13, [sp, #48]
    stp d14, d15, [sp, #64]
.endm

.macro restore_registers
    ldp d8, d9, [sp, #16]
    ldp d10, d11, [sp, #32]
    ldp d12, d13, [sp, #48]
    ldp d14, d15, [sp, #64]
    ldp x29, x30, [sp], #80
.endm

function_begin sl_streaming_run
    save_registers
    mov x9, x0
    mov x0, x1
    smstart sm
    blr x9
    smstop sm
    restore_registers
    ret
function_end sl_streaming_run

function_begin sl_streaming_run_za
    save_registers
    mov x9, x0
    mov x0, x1
    mrs x10, TPIDR2_EL0
    cbnz x10, 2f
    smstart // ZA was off, and is zeros when it goes on
1:  blr x9
    smstop
    restore_registers
    ret
2:  bl TPIDR2_SAVE // keeps x0 and x9: it changes only x14 to x17
    msr TPIDR2_EL0, xzr
    smstart
    zero {za}
    b 1b
function_end sl_streaming_run_za

/* kernels/cpu/abi_sme2_asm_darwin.S: what the SME part of Arm's procedure call standard asks a run-time library for, as far as
 * it is called here; the cross compiler for macOS brings none. Linux links compiler-rt's. The
 * first two change only x14 to x17. */
#include "kernels/cpu/asm.h"

// A block of TPIDR2: the buffer's address, how many of ZA's slices are in it (16 bits), zeros. Leaves buffer and slices in x16
// and x17, a slice's bytes in x14 and the first slice in w15; goes to \none where there is nothing to do.
.macro open_block block, none
    ldr x16, [\block]
    ldr x17, [\block, #8]
    lsr x15, x17, #16
    cbnz x15, 9f // of a later standard
    cbz x16, \none
    cbz x17, \none
    rdsvl x14, #1
    mov w15, #0
.endm

.macro next_slice again
    add x16, x16, x14
    add w15, w15, #1
    cmp w15, w17
    b.lo \again
.endm

function_begin __arm_tpidr2_save
    mrs x14, TPIDR2_EL0
    cbz x14, 2f
    open_block x14, 2f
1:  str za[w15, #0], [x16]
    next_slice 1b
2:  ret
9:  brk #1
function_end __arm_tpidr2_save

function_begin __arm_tpidr2_restore
    mrs x14, TPIDR2_EL0
    cbnz x14, 9f
    open_block x0, 2f
1:  ldr za[w15, #0], [x16]
    next_slice 1b
2:  ret
9:  brk #1
function_end __arm_tpidr2_restore

// memset() without vectors, whose form depends on the mode.
function_begin __arm_sc_memset
    mov x14, x0
    and x15, x1, #255
    mov x16, #0x0101010101010101
    mul x15, x15, x16
1:  subs x2, x2, #8
    b.lo 2f
    str x15, [x14], #8
    b 1b
2:  adds x2, x2, #8
    b.eq 4f
3:  strb w15, [x14], #1
    subs x2, x2, #1
    b.ne 3b
4:  ret
function_end __arm_sc_memset

/* kernels/peak/peak_sme2_asm.S: the loops of peak.h in streaming mode. x0 is the job. */
#include "kernels/cpu/asm.h"

// The loop's function, which runs `body_\name` through the way that kernels take.
.macro peak name, through
function_begin \name
    mov x1, x0
    adr x0, body_\name
    b \through
body_\name:
    ldp x1, x2, [x0]
.endm

#if defined(__APPLE__)
#define RUN _sl_streaming_run
#define RUN_ZA _sl_streaming_run_za
#else
#define RUN sl_streaming_run
#define RUN_ZA sl_streaming_run_za
#endif

.macro peak_end name
    subs x1, x1, #1
    b.ne 1b
    ret
function_end \name
.endm

// Operands that are neither zero nor denormal in any of the types.
.macro operands
    ptrue p0.b
    .irp r, z0.h, z1.h, z2.h, z3.h, z4.h, z5.h, z6.h, z7.h
    dup \r, #0x3f, lsl #8
    .endr
    mov w8, wzr
.endm

.macro peak_mopa name, instruction, suffix
    peak \name, RUN_ZA
    operands
    .p2align 4
1:
    .rept 4
    \instruction za0.s, p0/m, p0/m, z0.\suffix, z4.\suffix
    \instruction za1.s, p0/m, p0/m, z1.\suffix, z5.\suffix
    \instruction za2.s, p0/m, p0/m, z2.\suffix, z6.\suffix
    \instruction za3.s, p0/m, p0/m, z3.\suffix, z7.\suffix
    .endr
    peak_end \name
.endm

peak_mopa sl_peak_mopa_f32_sme2, fmopa, s
peak_mopa sl_peak_mopa_f16_sme2, fmopa, h
peak_mopa sl_peak_mopa_bf16_sme2, bfmopa, h
peak_mopa sl_peak_mopa_s16_sme2, smopa, h
peak_mopa sl_peak_mopa_s8_sme2, smopa, b

.macro peak_mla name, instruction, suffix
    peak \name, RUN_ZA
    operands
    .p2align 4
1:
    .rept 2
    .irp at, 0, 1, 2, 3, 4, 5, 6, 7
    \instruction za.s[w8, \at, vgx4], {z0.\suffix - z3.\suffix}, z4.\suffix
    .endr
    .endr
    peak_end \name
.endm

peak_mla sl_peak_mla_f32_sme2, fmla, s
peak_mla sl_peak_dot_s8_sme2, sdot, b

.macro peak_near1 name, instruction
    peak \name, RUN
    .p2align 4
1:
    .irp at, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    \instruction z\at, [x2, #\at, mul vl]
    .endr
    peak_end \name
.endm

peak_near1 sl_peak_load1_sme2, ldr
peak_near1 sl_peak_store1_sme2, str

.macro peak_near2 name, instruction, governor:vararg
    peak \name, RUN
    ptrue pn8.b
    .p2align 4
1:
    .irp at, 0, 2, 4, 6, 8, 10, 12, 14
    \instruction {z0.b - z1.b}, \governor, [x2, #\at, mul vl]
    .endr
    peak_end \name
.endm

peak_near2 sl_peak_load2_sme2, ld1b, pn8/z
peak_near2 sl_peak_store2_sme2, st1b, pn8

.macro peak_near4 name, instruction, governor:vararg
    peak \name, RUN
    ptrue pn8.b
    .p2align 4
1:
    .rept 2
    .irp at, 0, 4, 8, 12
    \instruction {z0.b - z3.b}, \governor, [x2, #\at, mul vl]
    .endr
    .endr
    peak_end \name
.endm

peak_near4 sl_peak_load4_sme2, ld1b, pn8/z
peak_near4 sl_peak_store4_sme2, st1b, pn8

.macro peak_far name, instruction, governor:vararg
    peak \name, RUN
    ptrue pn8.b
    .p2align 4
1:
    .irp at, 0, 4, 8, 12
    \instruction {z0.b - z3.b}, \governor, [x2, #\at, mul vl]
    .endr
    addvl x2, x2, #16
    peak_end \name
.endm

peak_far sl_peak_read_sme2, ld1b, pn8/z
peak_far sl_peak_write_sme2, st1b, pn8

// Outside streaming mode, of which each turn sees four; that clears the vector registers.
.macro peak_mode name, start, stop
function_begin \name
    stp d8, d9, [sp, #-64]!
    stp d10, d11, [sp, #16]
    stp d12, d13, [sp, #32]
    stp d14, d15, [sp, #48]
    ldr x1, [x0]
    .p2align 4
1:
    .rept 4
    \start
    \stop
    .endr
    subs x1, x1, #1
    b.ne 1b
    ldp d10, d11, [sp, #16]
    ldp d12, d13, [sp, #32]
    ldp d14, d15, [sp, #48]
    ldp d8, d9, [sp], #64
    ret
function_end \name
.endm

.macro start_sm
    smstart sm
.endm
.macro stop_sm
    smstop sm
.endm
.macro start_za
    smstart
.endm
.macro stop_za
    smstop
.endm

peak_mode sl_peak_enter_sm_sme2, start_sm, stop_sm
peak_mode sl_peak_enter_za_sme2, start_za, stop_za

// Calls an empty kernel: the cost of a call beside the kernel's work.
function_begin sl_peak_call_sme2
    stp x29, x30, [sp, #-32]!
    str x19, [sp, #16]
    ldr x19, [x0]
    .p2align 4
1:  adr x0, empty_kernel
    bl RUN
    subs x19, x19, #1
    b.ne 1b
    ldr x19, [sp, #16]
    ldp x29, x30, [sp], #32
empty_kernel:
    ret
function_end sl_peak_call_sme2

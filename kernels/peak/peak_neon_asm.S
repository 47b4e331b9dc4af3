/* kernels/peak/peak_neon_asm.S: the loops of peak.h outside streaming mode. x0 is the job. */
#include "kernels/cpu/asm.h"

    .arch armv8.2-a+fp16+dotprod+i8mm+bf16

.macro peak name
function_begin \name
    ldp x1, x2, [x0]
.endm

.macro peak_end name
    subs x1, x1, #1
    b.ne 1b
    ret
function_end \name
.endm

.macro multiply instruction, sum, operand, register
    \instruction v\register\().\sum, v4.\operand, v5.\operand
.endm

// Twenty sums into the registers that are named; d8-d15 are a caller's.
.macro peak_sums name, instruction, sum, operand, registers:vararg
    peak \name
    movi v4.8h, #0x3f, lsl #8
    movi v5.8h, #0x3f, lsl #8
    .p2align 4
1:
    .irp r, \registers
    multiply \instruction, \sum, \operand, \r
    .endr
    peak_end \name
.endm

.macro peak_mla name, instruction, sum, operand
    peak_sums \name, \instruction, \sum, \operand, 0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
.endm

peak_mla sl_peak_mla_f32_neon, fmla, 4s, 4s
peak_sums sl_peak_mla1_f32_neon, fmla, 4s, 4s, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16
peak_mla sl_peak_mla_f16_neon, fmla, 8h, 8h
peak_mla sl_peak_dot_s8_neon, sdot, 4s, 16b
peak_mla sl_peak_mmla_s8_neon, smmla, 4s, 16b
peak_mla sl_peak_mmla_bf16_neon, bfmmla, 4s, 8h

.macro peak_pairs name, instruction, walks
    peak \name
    .p2align 4
1:
    .irp at, 0, 32, 64, 96, 128, 160, 192, 224
    \instruction q0, q1, [x2, #\at]
    .endr
    .if \walks
    add x2, x2, #256
    .endif
    peak_end \name
.endm

peak_pairs sl_peak_load2_neon, ldp, 0
peak_pairs sl_peak_store2_neon, stp, 0
peak_pairs sl_peak_read_neon, ldp, 1
peak_pairs sl_peak_write_neon, stp, 1

// Round and round through a footprint of a power of two.
.macro peak_level name, kilobytes
    peak \name
    mov x3, xzr
    .p2align 4
1:
    add x4, x2, x3
    .irp at, 0, 32, 64, 96, 128, 160, 192, 224
    ldp q0, q1, [x4, #\at]
    .endr
    add x3, x3, #256
    and x3, x3, #(\kilobytes * 1024 - 1)
    peak_end \name
.endm

peak_level sl_peak_read_64k_neon, 64
peak_level sl_peak_read_1m_neon, 1024

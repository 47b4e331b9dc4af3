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

.macro outer instruction, suffix, tile
    \instruction za\tile\().s, p0/m, p0/m, z\tile\().\suffix, z4.\suffix
.endm

// Into the tiles that are named: fewer than four wait for one another.
.macro peak_mopa name, instruction, suffix, tiles:vararg
    peak \name, RUN_ZA
    operands
    .p2align 4
1:
    .irp t, \tiles
    outer \instruction, \suffix, \t
    .endr
    peak_end \name
.endm

.macro peak_tiles type, instruction, suffix
    peak_mopa sl_peak_mopa_\type\()_sme2, \instruction, \suffix, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3
    peak_mopa sl_peak_mopa2_\type\()_sme2, \instruction, \suffix, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1
    peak_mopa sl_peak_mopa1_\type\()_sme2, \instruction, \suffix, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
.endm

peak_tiles f32, fmopa, s
peak_tiles f16, fmopa, h
peak_tiles bf16, bfmopa, h
peak_tiles s16, smopa, h
peak_tiles s8, smopa, b

.macro multiply_add instruction, group, vectors, suffix, at
    \instruction za.s[w8, \at\()\group], \vectors, z4.\suffix
.endm

// Into the groups of ZA vectors that are named, `times` over: one alone waits for itself.
.macro peak_mla name, instruction, group, vectors, suffix, times, groups:vararg
    peak \name, RUN_ZA
    operands
    .p2align 4
1:
    .rept \times
    .irp at, \groups
    multiply_add \instruction, "\group", "\vectors", \suffix, \at
    .endr
    .endr
    peak_end \name
.endm

peak_mla sl_peak_mla_f32_sme2, fmla, ", vgx4", "{z0.s - z3.s}", s, 2, 0, 1, 2, 3, 4, 5, 6, 7
peak_mla sl_peak_mla4_one_f32_sme2, fmla, ", vgx4", "{z0.s - z3.s}", s, 16, 0
peak_mla sl_peak_mla2_f32_sme2, fmla, ", vgx2", "{z0.s - z1.s}", s, 2, 0, 1, 2, 3, 4, 5, 6, 7
peak_mla sl_peak_mla2_one_f32_sme2, fmla, ", vgx2", "{z0.s - z1.s}", s, 16, 0
peak_mla sl_peak_mla1_s8_sme2, smlall, "", z0.b, b, 4, 0:3, 4:7, 8:11, 12:15
peak_mla sl_peak_mla1_one_s8_sme2, smlall, "", z0.b, b, 16, 0:3
peak_mla sl_peak_dot_s8_sme2, sdot, ", vgx4", "{z0.b - z3.b}", b, 2, 0, 1, 2, 3, 4, 5, 6, 7
peak_mla sl_peak_dot4_f16_sme2, fdot, ", vgx4", "{z0.h - z3.h}", h, 2, 0, 1, 2, 3, 4, 5, 6, 7
peak_mla sl_peak_dot4_one_f16_sme2, fdot, ", vgx4", "{z0.h - z3.h}", h, 16, 0
peak_mla sl_peak_dot2_f16_sme2, fdot, ", vgx2", "{z0.h - z1.h}", h, 2, 0, 1, 2, 3, 4, 5, 6, 7
peak_mla sl_peak_dot2_one_f16_sme2, fdot, ", vgx2", "{z0.h - z1.h}", h, 16, 0
peak_mla sl_peak_dot1_f16_sme2, fmlal, "", z0.h, h, 2, 0:1, 2:3, 4:5, 6:7, 8:9, 10:11, 12:13, 14:15
peak_mla sl_peak_dot1_one_f16_sme2, fmlal, "", z0.h, h, 16, 0:1

// Arithmetic on vectors, one of these an instruction.
.macro one_z_add r
    fadd z\r\().s, z\r\().s, z0.s
.endm
.macro one_z_mac r
    fmla z\r\().s, p0/m, z0.s, z1.s
.endm
.macro one_z_dot16 r
    fdot z\r\().s, z0.h, z1.h
.endm
.macro one_z_divide r
    fdiv z\r\().s, p0/m, z\r\().s, z0.s
.endm
.macro one_z_sqrt r
    fsqrt z\r\().s, p0/m, z0.s
.endm
.macro one_z_reduce r
    faddv s\r, p0, z0.s
.endm
.macro z_add first, last
    add {z\first\().s - z\last\().s}, {z\first\().s - z\last\().s}, z0.s
.endm
.macro za_move first, last, tile
    mova {z\first\().s - z\last\().s}, za\tile\()h.s[w12, 0:3]
.endm

.macro peak_vector name, one, registers:vararg
    peak \name, RUN
    operands
    .p2align 4
1:
    .irp r, \registers
    \one \r
    .endr
    peak_end \name
.endm

.macro peak_vectors kind
    peak_vector sl_peak_z_\kind\()_sme2, one_z_\kind, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
.endm

.macro peak_vector_one kind
    peak_vector sl_peak_z_\kind\()_one_sme2, one_z_\kind, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16
.endm

peak_vectors add
peak_vectors mac
peak_vector_one mac
peak_vectors dot16
peak_vector_one dot16
peak_vectors divide
peak_vectors sqrt
peak_vectors reduce

.macro peak_groups name, through, times, one, groups:vararg
    peak \name, \through
    operands
    mov w12, wzr
    .p2align 4
1:
    .rept \times
    .irp group, \groups
    \one \group
    .endr
    .endr
    peak_end \name
.endm

peak_groups sl_peak_z2_add_sme2, RUN, 2, z_add, "16, 17", "18, 19", "20, 21", "22, 23", "24, 25", "26, 27", "28, 29", "30, 31"
peak_groups sl_peak_z4_add_sme2, RUN, 4, z_add, "16, 19", "20, 23", "24, 27", "28, 31"
peak_groups sl_peak_za_move_sme2, RUN_ZA, 4, za_move, "16, 19, 0", "20, 23, 1", "24, 27, 2", "28, 31, 3"
peak_groups sl_peak_za_zero_sme2, RUN_ZA, 16, zero, "{za}"

.macro peak_za_near name, instruction
    peak \name, RUN_ZA
    mov w12, wzr
    .p2align 4
1:
    .irp at, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    \instruction za[w12, \at], [x2, #\at, mul vl]
    .endr
    peak_end \name
.endm

peak_za_near sl_peak_za_load_sme2, ldr
peak_za_near sl_peak_za_store_sme2, str

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

// Round and round through a footprint of a power of two, which whole turns fill.
.macro peak_level name, kilobytes, instruction, governor:vararg
    peak \name, RUN
    ptrue pn8.b
    mov x3, xzr
    .p2align 4
1:
    add x4, x2, x3
    .irp at, 0, 4, 8, 12
    \instruction {z0.b - z3.b}, \governor, [x4, #\at, mul vl]
    .endr
    addvl x3, x3, #16
    and x3, x3, #(\kilobytes * 1024 - 1)
    peak_end \name
.endm

peak_level sl_peak_read_64k_sme2, 64, ld1b, pn8/z
peak_level sl_peak_write_64k_sme2, 64, st1b, pn8
peak_level sl_peak_read_1m_sme2, 1024, ld1b, pn8/z
peak_level sl_peak_write_1m_sme2, 1024, st1b, pn8

// Leaving streaming mode clears the vector registers, of which d8-d15 are a caller's.
.macro mode_begin name
function_begin \name
    stp d8, d9, [sp, #-64]!
    stp d10, d11, [sp, #16]
    stp d12, d13, [sp, #32]
    stp d14, d15, [sp, #48]
    ldp x1, x2, [x0]
.endm

.macro mode_end name
    subs x1, x1, #1
    b.ne 1b
    ldp d10, d11, [sp, #16]
    ldp d12, d13, [sp, #32]
    ldp d14, d15, [sp, #48]
    ldp d8, d9, [sp], #64
    ret
function_end \name
.endm

// Outside streaming mode, of which each turn sees four.
.macro peak_mode name, start, stop
    mode_begin \name
    .p2align 4
1:
    .rept 4
    \start
    \stop
    .endr
    mode_end \name
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

// The core writes 1 KB, and 16 streaming vectors are read from `distance` behind its beginning.
.macro peak_hand name, distance
    mode_begin \name
    add x3, x2, #\distance
    .p2align 4
1:
    .irp block, 0, 256, 512, 768
    .irp at, 0, 32, 64, 96, 128, 160, 192, 224
    stp q0, q1, [x2, #(\block + \at)]
    .endr
    .endr
    smstart sm
    ptrue pn8.b
    .irp at, 0, 4, 8, 12
    ld1b {z0.b - z3.b}, pn8/z, [x3, #\at, mul vl]
    .endr
    smstop sm
    mode_end \name
.endm

peak_hand sl_peak_hand_over_sme2, 0
peak_hand sl_peak_hand_apart_sme2, 4096

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

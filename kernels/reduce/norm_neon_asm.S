/* kernels/reduce/norm_neon_asm.S: the three walks of layer norm over neighbouring rows of 16 floats and more.
 * The readable form is that of norm_neon.c, but that distances from the mean wait in the output.
 *
 * sl_norm_sums_neon_asm(rows, in, count, parts, lanes): each row's sum in four parts, parts[row][4]
 * sl_norm_distances_neon_asm(rows, in, count, parts, lanes, mean, out): out = in - mean[row]; the same of squares
 * sl_norm_results_neon_asm(rows, weight, count, bias, scale, out): out = out * scale[row] * weight + bias
 *
 * The elements behind a row's whole vectors come first, together with elements before them, because out may be in;
 * `lanes` are the elements that no whole vector has. */
#include "kernels/cpu/asm.h"

// x9 elements behind whole vectors, x10 whole vectors behind quads, x11 quads but the first, x12 bytes from the
// first quad's end to the last four elements.
.macro count_parts
    and x9, x2, #3
    ubfx x10, x2, #2, #2
    lsr x11, x2, #4
    sub x11, x11, #1
    lsl x12, x2, #2
    sub x12, x12, #80
.endm

.macro end_parts
    fadd v0.4s, v0.4s, v1.4s
    fadd v2.4s, v2.4s, v3.4s
    fadd v0.4s, v0.4s, v2.4s
    str q0, [x3], #16
    subs x0, x0, #1
    b.ne 1b
9:  ret
.endm

// One `verb` for each of all quads but the first, and of whole vectors; then the row's end.
.macro rest_of_row quad, pair, one
    lsr x13, x11, #1
    cbz x13, 3f
2:  \quad
    \quad
    subs x13, x13, #1
    b.ne 2b
3:  tbz x11, #0, 4f
    \quad
4:  cbz x10, 6f
    tbz x10, #1, 5f
    \pair
5:  tbz x10, #0, 6f
    \one
6:
.endm

.macro add_quad
    ld1 {v4.4s-v7.4s}, [x1], #64
    fadd v0.4s, v0.4s, v4.4s
    fadd v1.4s, v1.4s, v5.4s
    fadd v2.4s, v2.4s, v6.4s
    fadd v3.4s, v3.4s, v7.4s
.endm

.macro add_pair
    ldp q4, q5, [x1], #32
    fadd v0.4s, v0.4s, v4.4s
    fadd v1.4s, v1.4s, v5.4s
.endm

.macro add_one
    ldr q4, [x1], #16
    fadd v2.4s, v2.4s, v4.4s
.endm

function_begin sl_norm_sums_neon_asm
    cbz x0, 9f
    count_parts
    ldr q31, [x4]
1:  ld1 {v0.4s-v3.4s}, [x1], #64
    cbz x9, 7f
    ldr q16, [x1, x12]
    and v16.16b, v16.16b, v31.16b
    fadd v3.4s, v3.4s, v16.4s
7:  rest_of_row add_quad, add_pair, add_one
    add x1, x1, x9, lsl #2
    end_parts
function_end sl_norm_sums_neon_asm

.macro distances_of_quad
    ld1 {v4.4s-v7.4s}, [x1], #64
    fsub v4.4s, v4.4s, v30.4s
    fsub v5.4s, v5.4s, v30.4s
    fsub v6.4s, v6.4s, v30.4s
    fsub v7.4s, v7.4s, v30.4s
    st1 {v4.4s-v7.4s}, [x6], #64
.endm

.macro square_quad
    distances_of_quad
    fmla v0.4s, v4.4s, v4.4s
    fmla v1.4s, v5.4s, v5.4s
    fmla v2.4s, v6.4s, v6.4s
    fmla v3.4s, v7.4s, v7.4s
.endm

.macro square_pair
    ldp q4, q5, [x1], #32
    fsub v4.4s, v4.4s, v30.4s
    fsub v5.4s, v5.4s, v30.4s
    stp q4, q5, [x6], #32
    fmla v0.4s, v4.4s, v4.4s
    fmla v1.4s, v5.4s, v5.4s
.endm

.macro square_one
    ldr q4, [x1], #16
    fsub v4.4s, v4.4s, v30.4s
    str q4, [x6], #16
    fmla v2.4s, v4.4s, v4.4s
.endm

function_begin sl_norm_distances_neon_asm
    cbz x0, 9f
    count_parts
    add x12, x12, #64
    ldr q31, [x4]
1:  ld1r {v30.4s}, [x5], #4
    ldr q17, [x1, x12]
    distances_of_quad
    fmul v0.4s, v4.4s, v4.4s
    fmul v1.4s, v5.4s, v5.4s
    fmul v2.4s, v6.4s, v6.4s
    fmul v3.4s, v7.4s, v7.4s
    rest_of_row square_quad, square_pair, square_one
    cbz x9, 7f
    fsub v17.4s, v17.4s, v30.4s
    and v16.16b, v17.16b, v31.16b
    fmla v3.4s, v16.4s, v16.4s
    add x1, x1, x9, lsl #2
    add x6, x6, x9, lsl #2
    stur q17, [x6, #-16]
7:  end_parts
function_end sl_norm_distances_neon_asm

.macro results_of_quad
    ld1 {v4.4s-v7.4s}, [x6]
    ld1 {v16.4s-v19.4s}, [x14], #64
    ld1 {v20.4s-v23.4s}, [x15], #64
    fmul v4.4s, v4.4s, v30.4s
    fmul v5.4s, v5.4s, v30.4s
    fmul v6.4s, v6.4s, v30.4s
    fmul v7.4s, v7.4s, v30.4s
    fmla v20.4s, v4.4s, v16.4s
    fmla v21.4s, v5.4s, v17.4s
    fmla v22.4s, v6.4s, v18.4s
    fmla v23.4s, v7.4s, v19.4s
    st1 {v20.4s-v23.4s}, [x6], #64
.endm

.macro results_of_pair
    ldp q4, q5, [x6]
    ldp q16, q17, [x14], #32
    ldp q20, q21, [x15], #32
    fmul v4.4s, v4.4s, v30.4s
    fmul v5.4s, v5.4s, v30.4s
    fmla v20.4s, v4.4s, v16.4s
    fmla v21.4s, v5.4s, v17.4s
    stp q20, q21, [x6], #32
.endm

.macro results_of_one
    ldr q4, [x6]
    ldr q16, [x14], #16
    ldr q20, [x15], #16
    fmul v4.4s, v4.4s, v30.4s
    fmla v20.4s, v4.4s, v16.4s
    str q20, [x6], #16
.endm

function_begin sl_norm_results_neon_asm
    cbz x0, 9f
    mov x6, x5
    count_parts
    add x12, x12, #64
    ldr q28, [x1, x12]
    ldr q29, [x3, x12]
1:  ld1r {v30.4s}, [x4], #4
    ldr q24, [x6, x12]
    mov x14, x1
    mov x15, x3
    results_of_quad
    rest_of_row results_of_quad, results_of_pair, results_of_one
    cbz x9, 7f
    fmul v24.4s, v24.4s, v30.4s
    mov v25.16b, v29.16b
    fmla v25.4s, v24.4s, v28.4s
    add x6, x6, x9, lsl #2
    stur q25, [x6, #-16]
7:  subs x0, x0, #1
    b.ne 1b
9:  ret
function_end sl_norm_results_neon_asm

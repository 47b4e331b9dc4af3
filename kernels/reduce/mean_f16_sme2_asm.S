/* kernels/reduce/mean_f16_sme2_asm.S: means of columns of halves, eight vectors of columns a turn, two rows
 * at a time. The readable form is that of reduce_scalar.inc.
 *
 * sl_mean_columns_f16_sme2_asm(const struct sl_mean_columns *), in streaming mode with ZA on. FMLAL by
 * ones sums the even columns of four vectors in one group of ZA and the odd ones in the next. */
#include "kernels/cpu/asm.h"
#include "kernels/cpu/halves_sme2_asm.inc"

#define GROUPS(a, b) za.s[w8, a:b, vgx4]

function_begin sl_mean_columns_f16_sme2_asm
    ldp x1, x2, [x0]            // in, columns
    ldp x4, x3, [x0, #16]       // rows, out
    ptrue p0.s
    ld1rw {z14.s}, p0/z, [x0, #32]
    fmov z15.h, #1.0
    mov w8, wzr
    mov x5, xzr
    cnth x6, all, mul #4
10: whilelt pn8.h, x5, x2, vlx4
    add x7, x5, x6
    whilelt pn9.h, x7, x2, vlx4
    zero {za}
    add x9, x1, x5, lsl #1
    add x10, x1, x7, lsl #1
    subs x11, x4, #2
    b.lo 12f
11: ld1h {z0.h-z3.h}, pn8/z, [x9]
    ld1h {z4.h-z7.h}, pn9/z, [x10]
    ld1h {z16.h-z19.h}, pn8/z, [x9, x2, lsl #1]
    ld1h {z20.h-z23.h}, pn9/z, [x10, x2, lsl #1]
    fmlal GROUPS(0, 1), {z0.h-z3.h}, z15.h
    fmlal GROUPS(2, 3), {z4.h-z7.h}, z15.h
    fmlal GROUPS(0, 1), {z16.h-z19.h}, z15.h
    fmlal GROUPS(2, 3), {z20.h-z23.h}, z15.h
    add x9, x9, x2, lsl #2
    add x10, x10, x2, lsl #2
    subs x11, x11, #2
    b.hs 11b
12: tbz x4, #0, 13f
    ld1h {z0.h-z3.h}, pn8/z, [x9]
    ld1h {z4.h-z7.h}, pn9/z, [x10]
    fmlal GROUPS(0, 1), {z0.h-z3.h}, z15.h
    fmlal GROUPS(2, 3), {z4.h-z7.h}, z15.h
13: store_scaled_halves pn8, 0, 1, z14, x5
    store_scaled_halves pn9, 2, 3, z14, x7
    add x5, x7, x6
    cmp x5, x2
    b.lo 10b
    ret
function_end sl_mean_columns_f16_sme2_asm

/* kernels/pack/pack_x16_1vl_sme2_asm.S: rows of 16-bit elements, found through a table of pointers, into
 * panels of words [ceil(k / 2)][VL], a word of two k of one row; the last word of a segment of odd length
 * is filled up with a zero.
 *
 * sl_pack_x16_1vl_sme2_asm(const struct sl_pack_x16 *job), in streaming mode with ZA on. What it
 * computes is stated by sl_pack_x16_1vl_scalar() in pack_x16_scalar.c. */
#include "kernels/cpu/asm.h"

#define LOAD ld1h
#define T h
#define INDEX , lsl #1
#define FOUR_VECTORS 3
#define SEGMENT_WORDS x0
#define WHOLE x17

.macro words_of to, from
    add \to, \from, #1
    lsr \to, \to, #1
.endm

.macro whole_elements
    sub x17, x11, x10
.endm

#include "kernels/pack/pack_1vl_walk.inc"

pack_1vl sl_pack_x16_1vl_sme2_asm

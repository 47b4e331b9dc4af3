/* kernels/pack/pack_x8_1vl_sme2_asm.S: rows of bytes, found through a table of pointers, into panels
 * of words [k / 4][VL], a word of four k of one row; the last word of a segment is filled up with zeros.
 *
 * sl_pack_x8_1vl_sme2_asm(const struct sl_pack_x8 *job), in streaming mode with ZA on. What it computes
 * is stated by sl_pack_x8_1vl_scalar() in pack_x8.c. */
#include "kernels/cpu/asm.h"

#define LOAD ld1b
#define T b
#define INDEX
#define FOUR_VECTORS 4
#define SEGMENT_WORDS x0
#define WHOLE x17
#define THREE_TILES

.macro words_of to, from
    add \to, \from, #3
    lsr \to, \to, #2
.endm

.macro whole_elements
    sub x17, x11, x10
.endm

#include "kernels/pack/pack_1vl_walk.inc"

pack_1vl sl_pack_x8_1vl_sme2_asm

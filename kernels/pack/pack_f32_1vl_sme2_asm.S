/* kernels/pack/pack_f32_1vl_sme2_asm.S: rows of floats, found through a table of pointers, into
 * panels [k][VL].
 *
 * sl_pack_f32_1vl_sme2_asm(const struct sl_pack_f32 *job), in streaming mode with ZA on. What it
 * computes is stated by sl_pack_f32_1vl_scalar() in pack_f32_scalar.c. */
#include "kernels/cpu/asm.h"

#define LOAD ld1w
#define T s
#define INDEX , lsl #2
#define FOUR_VECTORS 2
#define SEGMENT_WORDS x4
#define WHOLE x19

.macro words_of to, from
.endm

.macro whole_elements
.endm

#include "kernels/pack/pack_1vl_walk.inc"

pack_1vl sl_pack_f32_1vl_sme2_asm

/* kernels/pack/pack_f32_16_sme2_asm.S: rows at equal distances into panels, see pack_16_sme2_asm.inc. */
#include "kernels/cpu/asm.h"

#define PACK_16_FUNCTION sl_pack_f32_16_sme2_asm
#define LOAD ld1w
#define T s
#define SHIFT 2
#define INDEX , lsl #2
#include "kernels/pack/pack_16_sme2_asm.inc"

/* kernels/pack/pack_x16_16_sme2_asm.S: rows at equal distances into panels, see pack_16_sme2_asm.inc. */
#include "kernels/cpu/asm.h"

#define PACK_16_FUNCTION sl_pack_x16_16_sme2_asm
#define LOAD ld1h
#define T h
#define SHIFT 1
#define INDEX , lsl #1
#include "kernels/pack/pack_16_sme2_asm.inc"

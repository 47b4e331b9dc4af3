/* kernels/pack/pack_x8_16_sme2_asm.S: rows at equal distances into panels, see pack_16_sme2_asm.inc. */
#include "kernels/cpu/asm.h"

#define PACK_16_FUNCTION sl_pack_x8_16_sme2_asm
#define LOAD ld1b
#define T b
#define SHIFT 0
#define INDEX
#include "kernels/pack/pack_16_sme2_asm.inc"

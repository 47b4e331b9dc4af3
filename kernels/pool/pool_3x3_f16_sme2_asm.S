/* kernels/pool/pool_3x3_f16_sme2_asm.S: largest halves of 3x3 windows, see pool_3x3_sme2_asm.inc. */
#include "kernels/cpu/asm.h"

#define POOL_FUNCTION sl_pool_max_3x3_f16_sme2_asm
#define LOAD ld1h
#define LOAD_ONE ld1rh
#define STORE st1h
#define T h
#define SHIFT 1
#define AFTER(x, i) [x, i, lsl #SHIFT]
#define MAX fmax
#define MIN fmin

#include "kernels/pool/pool_3x3_sme2_asm.inc"

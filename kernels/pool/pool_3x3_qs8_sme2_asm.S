/* kernels/pool/pool_3x3_qs8_sme2_asm.S: largest bytes of 3x3 windows, see pool_3x3_sme2_asm.inc. */
#include "kernels/cpu/asm.h"

#define POOL_FUNCTION sl_pool_max_3x3_qs8_sme2_asm
#define LOAD ld1b
#define LOAD_ONE ld1rb
#define STORE st1b
#define T b
#define SHIFT 0
#define AFTER(x, i) [x, i]
#define MAX smax
#define MIN smin

#include "kernels/pool/pool_3x3_sme2_asm.inc"

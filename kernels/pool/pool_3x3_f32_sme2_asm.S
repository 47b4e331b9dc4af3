/* kernels/pool/pool_3x3_f32_sme2_asm.S: largest floats of 3x3 windows, see pool_3x3_sme2_asm.inc. */
#include "kernels/cpu/asm.h"

#define POOL_FUNCTION sl_pool_max_3x3_f32_sme2_asm
#define LOAD ld1w
#define LOAD_ONE ld1rw
#define STORE st1w
#define T s
#define SHIFT 2
#define AFTER(x, i) [x, i, lsl #SHIFT]
#define MAX fmax
#define MIN fmin

#include "kernels/pool/pool_3x3_sme2_asm.inc"

/* kernels/reduce/max_f16_neon_fp16.c: the largest of halves. */
#include "kernels/reduce/reduce.h"

#define SL_TYPE f16
#define KERNEL sl_reduce_max_f16_f16_1x32_neon
#include "kernels/reduce/max_neon.inc"

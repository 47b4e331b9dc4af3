/* kernels/reduce/max_neon.c: the largest of f32. */
#include "kernels/reduce/reduce.h"

#define SL_TYPE f32
#define KERNEL sl_reduce_max_f32_f32_1x16_neon
#include "kernels/reduce/max_neon.inc"

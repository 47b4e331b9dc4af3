/* kernels/reduce/max_sme2.c: the largest of f32 in streaming mode. */
#include "kernels/reduce/reduce.h"

#define SL_TYPE f32
#define KERNEL sl_reduce_max_f32_f32_16vl_sme2
#include "kernels/reduce/max_sme2.inc"

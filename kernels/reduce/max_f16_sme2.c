/* kernels/reduce/max_f16_sme2.c: the largest of halves in streaming mode. */
#include "kernels/reduce/reduce.h"

#define SL_TYPE f16
#define KERNEL sl_reduce_max_f16_f16_16vl_sme2
#include "kernels/reduce/max_sme2.inc"

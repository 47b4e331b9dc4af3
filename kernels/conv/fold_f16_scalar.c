/* kernels/conv/fold_f16_scalar.c: portable summing of patches. */
#include "kernels/conv/fold_f16.h"

#define SL_TYPE f16
#define KERNEL sl_fold_f16_f16_1x1_scalar
#include "kernels/conv/fold_scalar.h"

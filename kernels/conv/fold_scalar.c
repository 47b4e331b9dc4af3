/* kernels/conv/fold_scalar.c: portable summing of patches. */
#include "kernels/conv/fold.h"

#define SL_TYPE f32
#define KERNEL sl_fold_f32_f32_1x1_scalar
#include "kernels/conv/fold_scalar.h"

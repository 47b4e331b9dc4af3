/* kernels/conv/deconv.c: transposed convolution in f32. */
#include "kernels/conv/deconv.h"

#define SL_TYPE f32
#include "kernels/conv/deconv_float.h"

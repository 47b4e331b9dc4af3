/* kernels/conv/deconv_f16.c: transposed convolution in half precision. */
#include "kernels/conv/deconv.h"

#define SL_TYPE f16
#include "kernels/conv/deconv_float.h"

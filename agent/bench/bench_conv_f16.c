/* agent/bench/bench_conv_f16.c: convolutions of f16. */
#include "kernels/conv/conv_f16.h"
#include "kernels/conv/deconv_f16.h"
#include "kernels/depthwise/depthwise_f16.h"

#define SL_TYPE f16
#include "agent/bench/bench_conv.h"

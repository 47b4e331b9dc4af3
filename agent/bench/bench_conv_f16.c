/* agent/bench/bench_conv_f16.c: convolutions of f16. */
#include "kernels/conv/conv.h"
#include "kernels/conv/deconv.h"
#include "kernels/depthwise/depthwise.h"

#define SL_TYPE f16
#include "agent/bench/bench_conv.h"

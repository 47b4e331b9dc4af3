/* agent/bench/bench_conv.c: convolutions of f32. */
#include "kernels/conv/conv.h"
#include "kernels/conv/deconv.h"
#include "kernels/depthwise/depthwise.h"

#define SL_TYPE f32
#include "agent/bench/bench_conv.h"

/* agent/bench/bench_matmul.c: products of f32. */
#include "kernels/matmul/matmul.h"

#define SL_TYPE f32
#include "agent/bench/bench_matmul.h"

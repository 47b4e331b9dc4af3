/* agent/bench/bench_matmul_f16.c: products of f16. */
#include "kernels/matmul/matmul.h"

#define SL_TYPE f16
#include "agent/bench/bench_matmul.h"

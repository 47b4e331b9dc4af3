/* agent/bench/bench_matmul_bf16.c: products of bf16. */
#include "kernels/matmul/matmul_bf16.h"

#define SL_TYPE bf16
#include "agent/bench/bench_matmul.h"

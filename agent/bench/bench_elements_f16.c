/* agent/bench/bench_elements_f16.c: kernels of f16 that have no product in them. */
#include "kernels/binary/binary.h"
#include "kernels/layout/layout_x16.h"
#include "kernels/layout/resize.h"
#include "kernels/pool/pool.h"
#include "kernels/reduce/reduce.h"
#include "kernels/unary/unary.h"

#define SL_TYPE f16
#define TRANSPOSE_NAME(before, after) before##_x16##after
#include "agent/bench/bench_elements.h"

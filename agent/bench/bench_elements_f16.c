/* agent/bench/bench_elements_f16.c: kernels of f16 that have no product in them. */
#include "kernels/binary/binary_f16.h"
#include "kernels/layout/layout_x16.h"
#include "kernels/layout/resize_f16.h"
#include "kernels/pool/pool_f16.h"
#include "kernels/reduce/reduce_f16.h"
#include "kernels/unary/unary_f16.h"

#define SL_TYPE f16
#define TRANSPOSE_NAME(before, after) before##_x16##after
#include "agent/bench/bench_elements.h"

/* agent/bench/bench_elements.c: kernels of f32 that have no product in them. */
#include "kernels/binary/binary.h"
#include "kernels/layout/layout.h"
#include "kernels/layout/resize.h"
#include "kernels/pool/pool.h"
#include "kernels/reduce/reduce.h"
#include "kernels/unary/unary.h"

#define SL_TYPE f32
#define TRANSPOSE_NAME(before, after) before##after
#include "agent/bench/bench_elements.h"

/* tests/unit/kernels/layout/test_transpose_x8.c: transposes and permutations of bytes. */
#include "kernels/layout/layout_x8.h"

#define ELEMENT uint8_t
#define NAME(before, after) before##_x8##after
#include "tests/unit/kernels/layout/transpose_dense.inc"

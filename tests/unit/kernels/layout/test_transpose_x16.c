/* tests/unit/kernels/layout/test_transpose_x16.c: transposes and permutations of 16-bit elements.
 */
#include "kernels/layout/layout_x16.h"

#define ELEMENT uint16_t
#define NAME(before, after) before##_x16##after
#include "tests/unit/kernels/layout/transpose_dense.inc"

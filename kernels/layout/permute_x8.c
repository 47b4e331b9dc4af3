/* kernels/layout/permute_x8.c: any permutation of 8-bit elements. */
#include "kernels/layout/layout_x8.h"

#define SL_ELEMENT uint8_t
#define SL_NAME(before, after) before##_x8##after
#define SL_PERMUTE sl_permute_x8
#include "kernels/layout/permute.h"

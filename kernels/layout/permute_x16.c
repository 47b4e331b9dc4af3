/* kernels/layout/permute_x16.c: any permutation of 16-bit elements. */
#include "kernels/layout/layout_x16.h"

#define SL_ELEMENT uint16_t
#define SL_NAME(before, after) before##_x16##after
#define SL_PERMUTE sl_permute_x16
#include "kernels/layout/permute.h"

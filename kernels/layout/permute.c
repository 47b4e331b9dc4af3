/* kernels/layout/permute.c: any permutation of 32-bit elements. */
#include "kernels/layout/layout.h"

#define SL_ELEMENT uint32_t
#define SL_NAME(before, after) before##after
#define SL_PERMUTE sl_permute_x32
#include "kernels/layout/permute.h"

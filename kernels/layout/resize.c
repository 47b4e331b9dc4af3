/* kernels/layout/resize.c: which kernel of the list serves a run. */
#include "kernels/layout/resize.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY sl_resize
#define SL_LIST "kernels/layout/resize.inc"
#define SL_ALLOWED SL_POLICY_LAYOUT
#define SL_WANT , int element
#define SL_SERVES(kernel) (kernel)->element == element
#include "kernels/cpu/dispatch.inc"

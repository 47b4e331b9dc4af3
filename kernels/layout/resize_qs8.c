/* kernels/layout/resize_qs8.c: which kernel of the list serves a run. */
#include "kernels/layout/resize_qs8.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY sl_resize_qs8
#define SL_LIST "kernels/layout/resize_qs8.inc"
#define SL_ALLOWED SL_POLICY_LAYOUT
#define SL_WANT
#define SL_SERVES(kernel) 1
#include "kernels/cpu/dispatch.inc"

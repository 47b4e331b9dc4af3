/* kernels/layout/resize.c: which kernel of the list serves a run. */
#include "kernels/layout/resize.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY SL_OF(sl_resize, )
#define SL_LIST "kernels/layout/resize.inc"
#define SL_ALLOWED SL_POLICY_LAYOUT
#define SL_WANT
#define SL_SERVES(kernel) 1
#define SL_TEMPLATE "kernels/cpu/dispatch.inc"
#include "kernels/cpu/floats.inc"

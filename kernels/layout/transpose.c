/* kernels/layout/transpose.c: which transpose of the list serves a run. */
#include "kernels/layout/layout.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY sl_transpose
#define SL_LIST "kernels/layout/transpose.inc"
#define SL_ALLOWED SL_POLICY_LAYOUT
#define SL_WANT
#define SL_SERVES(kernel) 1
#include "kernels/cpu/dispatch.inc"

/* kernels/layout/repeat.c: which kernel of the list serves a run. */
#include "kernels/layout/repeat.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY sl_repeat
#define SL_LIST "kernels/layout/repeat.inc"
#define SL_ALLOWED SL_POLICY_LAYOUT
#define SL_WANT
#define SL_SERVES(kernel) 1
#include "kernels/cpu/dispatch.inc"

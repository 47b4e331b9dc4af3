/* kernels/convert/quantise.c: which kernel of the list serves a run. */
#include "kernels/convert/quantise.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY sl_quantise
#define SL_LIST "kernels/convert/quantise.inc"
#define SL_ALLOWED SL_POLICY_CONVERT
#define SL_WANT
#define SL_SERVES(kernel) 1
#include "kernels/cpu/dispatch.inc"

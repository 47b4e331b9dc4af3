/* kernels/convert/convert.c: which kernel of the list serves a run. */
#include "kernels/convert/convert.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY sl_convert
#define SL_LIST "kernels/convert/convert.inc"
#define SL_ALLOWED SL_POLICY_CONVERT
#define SL_WANT , int op
#define SL_SERVES(kernel) (kernel)->op == op
#include "kernels/cpu/dispatch.inc"

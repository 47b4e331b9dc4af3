/* kernels/unary/unary_qs8.c: which kernel of the list serves a run. */
#include "kernels/unary/unary_qs8.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY sl_unary_qs8
#define SL_LIST "kernels/unary/unary_qs8.inc"
#define SL_ALLOWED SL_POLICY_UNARY_INT8
#define SL_WANT , int op
#define SL_SERVES(kernel) (kernel)->op == op
#include "kernels/cpu/dispatch.inc"

/* kernels/reduce/reduce.c: which kernel of the list serves a run. */
#include "kernels/reduce/reduce.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY sl_reduce
#define SL_LIST "kernels/reduce/reduce.inc"
#define SL_ALLOWED SL_POLICY_REDUCE
#define SL_WANT , int element, int op
#define SL_SERVES(kernel) (kernel)->element == element && (kernel)->op == op
#include "kernels/cpu/dispatch.inc"

/* kernels/reduce/reduce.c: which kernel of the list serves a run. */
#include "kernels/reduce/reduce.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY SL_OF(sl_reduce, )
#define SL_LIST "kernels/reduce/reduce.inc"
#define SL_ALLOWED SL_POLICY_REDUCE
#define SL_WANT , int op
#define SL_SERVES(kernel) (kernel)->op == op
#define SL_TEMPLATE "kernels/cpu/dispatch.inc"
#include "kernels/cpu/floats.inc"

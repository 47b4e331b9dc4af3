/* kernels/matmul/matmul.c: which kernel of the list serves a run. */
#include "kernels/matmul/matmul.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY SL_OF(sl_matmul, )
#define SL_LIST "kernels/matmul/matmul.inc"
#define SL_ALLOWED max_m > 1 ? SL_POLICY_MATMUL : SL_POLICY_GEMV
#define SL_WANT , size_t max_m
#define SL_SERVES(kernel) (!(kernel)->gemv || max_m == 1)
#define SL_TEMPLATE "kernels/cpu/dispatch.inc"
#include "kernels/cpu/floats.inc"

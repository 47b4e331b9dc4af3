/* kernels/matmul/matmul_qs8.c: which kernel of the list serves a run. */
#include "kernels/matmul/matmul_qs8.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY sl_matmul_qs8
#define SL_LIST "kernels/matmul/matmul_qs8.inc"
#define SL_ALLOWED max_m > 1 ? SL_POLICY_MATMUL_INT8 : SL_POLICY_GEMV_INT8
#define SL_WANT , size_t max_m
#define SL_SERVES(kernel) (!(kernel)->gemv || max_m == 1)
#include "kernels/cpu/dispatch.inc"

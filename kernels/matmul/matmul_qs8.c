/* kernels/matmul/matmul_qs8.c: which kernel of the list serves a run. */
#include "kernels/matmul/matmul_qs8.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY sl_matmul_qs8
#define SL_LIST "kernels/matmul/matmul_qs8.inc"
#define SL_ALLOWED max_m > 1 ? SL_POLICY_MATMUL_INT8 : SL_POLICY_GEMV_INT8
#define SL_CLASS SL_POLICY_MATMUL_INT8_SMALL
#define SL_IN_CLASS sl_policy_small_int8(max_m, n, k)
#define SL_WANT , size_t max_m, size_t n, size_t k
#define SL_SERVES(kernel) (!(kernel)->gemv || max_m == 1)
#include "kernels/cpu/dispatch.inc"

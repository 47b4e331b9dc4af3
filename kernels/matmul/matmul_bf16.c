/* kernels/matmul/matmul_bf16.c: which kernel of the list serves a run. */
#include "kernels/matmul/matmul_bf16.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY sl_matmul_bf16
#define SL_LIST "kernels/matmul/matmul_bf16.inc"
#define SL_ALLOWED max_m > 1 ? SL_POLICY_MATMUL : SL_POLICY_GEMV
#define SL_WANT , size_t max_m
#define SL_SERVES(kernel) (!(kernel)->gemv || max_m == 1)
#include "kernels/cpu/dispatch.inc"

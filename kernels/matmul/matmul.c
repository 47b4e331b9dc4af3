/* kernels/matmul/matmul.c: which kernel of the list serves a run. */
#include "kernels/matmul/matmul.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY sl_matmul
#define SL_LIST "kernels/matmul/matmul.inc"
#define SL_ALLOWED max_m > 1 ? SL_POLICY_MATMUL : SL_POLICY_GEMV
#define SL_CLASS SL_POLICY_MATMUL_SMALL
#define SL_IN_CLASS                                                                                \
    (element == SL_BF16  ? sl_policy_small_bf16(max_m, n, k)                                       \
     : element == SL_F16 ? sl_policy_small_f16(max_m, n, k)                                        \
                         : sl_policy_small(max_m, n, k))
#define SL_WANT , int element, size_t max_m, size_t n, size_t k
#define SL_SERVES(kernel) (kernel)->element == element && (!(kernel)->gemv || max_m == 1)
#include "kernels/cpu/dispatch.inc"

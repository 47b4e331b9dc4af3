/* kernels/pool/pool.c: which kernel of the list serves a run. */
#include "kernels/pool/pool.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY sl_pool
#define SL_LIST "kernels/pool/pool.inc"
#define SL_ALLOWED SL_POLICY_POOL
#define SL_WANT , int element, int op
#define SL_SERVES(kernel) (kernel)->element == element && (kernel)->op == op
#include "kernels/cpu/dispatch.inc"

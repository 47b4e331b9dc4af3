/* kernels/pool/pool_qs8.c: which kernel of the list serves a run. */
#include "kernels/pool/pool_qs8.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY sl_pool_qs8
#define SL_LIST "kernels/pool/pool_qs8.inc"
#define SL_ALLOWED SL_POLICY_POOL_INT8
#define SL_WANT
#define SL_SERVES(kernel) 1
#include "kernels/cpu/dispatch.inc"

/* kernels/pool/argmax.c: which kernel of the list serves a run. */
#include "kernels/pool/argmax.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY sl_argmax
#define SL_LIST "kernels/pool/argmax.inc"
#define SL_ALLOWED SL_POLICY_POOL
#define SL_WANT
#define SL_SERVES(kernel) 1
#include "kernels/cpu/dispatch.inc"

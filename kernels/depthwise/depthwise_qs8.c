/* kernels/depthwise/depthwise_qs8.c: which kernel of the list serves a run. */
#include "kernels/depthwise/depthwise_qs8.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY sl_depthwise_qs8
#define SL_LIST "kernels/depthwise/depthwise_qs8.inc"
#define SL_ALLOWED SL_POLICY_DEPTHWISE_INT8
#define SL_WANT , const struct sl_depthwise_shape *shape
#define SL_SERVES(kernel) (!(kernel)->fits || (kernel)->fits(shape))
#include "kernels/cpu/dispatch.inc"

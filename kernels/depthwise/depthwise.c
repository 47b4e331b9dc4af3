/* kernels/depthwise/depthwise.c: which kernel of the list serves a run. */
#include "kernels/depthwise/depthwise.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY sl_depthwise
#define SL_LIST "kernels/depthwise/depthwise.inc"
#define SL_ALLOWED SL_POLICY_DEPTHWISE
#define SL_CLASS SL_POLICY_DEPTHWISE_F16
#define SL_IN_CLASS element == SL_F16
#define SL_WANT , int element, const struct sl_depthwise_shape *shape
#define SL_SERVES(kernel) (kernel)->element == element && (!(kernel)->fits || (kernel)->fits(shape))
#include "kernels/cpu/dispatch.inc"

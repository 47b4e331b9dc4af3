/* kernels/conv/conv.c: which kernel of the list serves a run. */
#include "kernels/conv/conv.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY sl_conv
#define SL_LIST "kernels/conv/conv.inc"
#define SL_ALLOWED SL_POLICY_CONV
#define SL_WANT , int element, const struct sl_conv_shape *shape
#define SL_SERVES(kernel) (kernel)->element == element && (!(kernel)->fits || (kernel)->fits(shape))
#include "kernels/cpu/dispatch.inc"

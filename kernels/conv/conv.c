/* kernels/conv/conv.c: which kernel of the list serves a run. */
#include "kernels/conv/conv.h"

#define SL_FAMILY sl_conv
#define SL_LIST "kernels/conv/conv.inc"
#define SL_ALLOWED SL_POLICY_CONV
#define SL_CLASS SL_POLICY_CONV_SMALL
#define SL_IN_CLASS sl_conv_is_small(shape)
#define SL_WANT , int element, const struct sl_conv_shape *shape
#define SL_SERVES(kernel) (kernel)->element == element && (!(kernel)->fits || (kernel)->fits(shape))
#include "kernels/cpu/dispatch.inc"

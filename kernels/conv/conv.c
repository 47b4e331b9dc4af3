/* kernels/conv/conv.c: which kernel of the list serves a run. */
#include "kernels/conv/conv.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY SL_OF(sl_conv, )
#define SL_LIST "kernels/conv/conv.inc"
#define SL_ALLOWED SL_POLICY_CONV
#define SL_WANT , const struct sl_conv_shape *shape
#define SL_SERVES(kernel) (!(kernel)->fits || (kernel)->fits(shape))
#define SL_TEMPLATE "kernels/cpu/dispatch.inc"
#include "kernels/cpu/floats.inc"

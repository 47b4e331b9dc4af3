/* kernels/conv/conv_qs8.c: which kernel of the list serves a run. */
#include "kernels/conv/conv_qs8.h"

#define SL_FAMILY sl_conv_qs8
#define SL_LIST "kernels/conv/conv_qs8.inc"
#define SL_ALLOWED SL_POLICY_CONV_INT8
#define SL_CLASS SL_POLICY_CONV_INT8_SMALL
#define SL_IN_CLASS sl_conv_is_small(shape)
#define SL_WANT , const struct sl_conv_shape *shape
#define SL_SERVES(kernel) 1
#include "kernels/cpu/dispatch.inc"

void sl_conv_qs8_dense(struct sl_conv_qs8_args *args)
{
    args->out_pixel = args->shape.groups * args->shape.group_out_c;
    args->out_row = args->shape.out_w * args->out_pixel;
    args->out_image = args->shape.out_h * args->out_row;
}

/* kernels/conv/deconv.c: transposed convolution of floats. */
#include "kernels/conv/deconv.h"

#define KERNEL sl_conv
#define ARGS sl_conv_args
#define BYTES(kernel) sl_element_bytes((kernel)->element)
#define CONSTANTS const void *
#define OF(verb) sl_deconv_##verb

static void sl_deconv_strides(struct sl_conv_args *args)
{
    sl_conv_strides(&args->shape, &args->out_pixel, &args->out_row);
}

static size_t sl_deconv_image(const struct sl_conv_args *args)
{
    return args->shape.out_h * args->out_row;
}

#include "kernels/conv/deconv_phases.inc"

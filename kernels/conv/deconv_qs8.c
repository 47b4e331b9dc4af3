/* kernels/conv/deconv_qs8.c: transposed convolution in static int8. */
#include "kernels/conv/deconv_qs8.h"

#define KERNEL sl_conv_qs8
#define ARGS sl_conv_qs8_args
#define BYTES(kernel) ((void)(kernel), (size_t)1)
#define CONSTANTS const struct sl_requant *
#define OF(verb) sl_deconv_qs8_##verb

static void sl_deconv_qs8_strides(const struct sl_conv_qs8_args *args)
{
    (void)args; /* the caller has set them */
}

static size_t sl_deconv_qs8_image(const struct sl_conv_qs8_args *args)
{
    return args->out_image;
}

#include "kernels/conv/deconv_phases.inc"

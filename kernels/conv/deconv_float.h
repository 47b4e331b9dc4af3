/* kernels/conv/deconv_float.h: transposed convolution of floats, of the type that the including
 * file names (kernels/cpu/element.h). */
#pragma once

#include "kernels/cpu/element.h"

#define KERNEL SL_NAME(sl_conv, )
#define ARGS SL_NAME(sl_conv, _args)
#define ELEMENT SL_ELEMENT
#define CONSTANTS const SL_ELEMENT *
#define OF(verb) SL_NAME(sl_deconv, _##verb)

static void OF(strides)(struct ARGS *args)
{
    sl_conv_strides(&args->shape, &args->out_pixel, &args->out_row);
}

static size_t OF(image)(const struct ARGS *args)
{
    return args->shape.out_h * args->out_row;
}

#include "kernels/conv/deconv_typed.h"

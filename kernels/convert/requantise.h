/* kernels/convert/requantise.h: the numbers of an int8 to int8 conversion. Internal to the kernels.
 */
#pragma once

#include <math.h>

#include "kernels/convert/convert.h"

/* (offset + q * multiplier) >> 8, clamped to int8. */
struct sl_requantise {
    int32_t multiplier, offset;
};

static inline struct sl_requantise sl_requantise_of(const struct sl_convert_args *args)
{
    int32_t m = (int32_t)rintf(256.0f * args->in_scale / args->out_scale);
    return (struct sl_requantise){m, args->out_zero * 256 - m * args->in_zero + 128};
}

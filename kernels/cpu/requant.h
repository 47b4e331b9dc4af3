/* kernels/cpu/requant.h: from the 32-bit sums of int8 products back to int8, and what pays for the
 * zero point of the input.
 *
 * y = clamp(round(acc * scale) + zero), the product in f32, ties to even: XNNPACK's arithmetic on
 * every CPU. Sums wrap at 32 bits, as its sums do. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* The parameters that weights of n output channels are packed with. */
struct sl_requant {
    const int32_t *bias; /* [n] or NULL; in units of input scale * weight scale */
    const float *scale;  /* [n]: input scale * weight scale / output scale; positive, below 256 */
    int8_t in_zero;      /* the input's zero point */
};

/* How the output is quantised. Real bounds are rounded to min and max by the caller; -128, 127: no
 * clamp. */
struct sl_requant_out {
    int8_t zero, min, max; /* min at most max */
};

static inline int8_t sl_requant(int32_t acc, float scale, struct sl_requant_out out)
{
    float y = (float)acc * scale, low = (float)(out.min - out.zero),
          high = (float)(out.max - out.zero);
    y = y < low ? low : y;
    y = y > high ? high : y; /* bounds are whole: the order of clamp and round does not count */
    return (int8_t)((int32_t)rintf(y) + out.zero);
}

/* a + b * c without the overflow that C leaves undefined. */
static inline int32_t sl_wrapping_mla(int32_t a, int32_t b, int32_t c)
{
    return (int32_t)((uint32_t)a + (uint32_t)b * (uint32_t)c);
}

/* The bias of channel `c` less what the input's zero point adds to its sum: sum(x * w) of raw
 * values plus this is sum((x - zero) * w) + bias. `weights_sum` is of the channel's weights. */
static inline int32_t sl_requant_start(const struct sl_requant *requant, size_t c,
                                       int32_t weights_sum)
{
    int32_t bias = requant->bias ? requant->bias[c] : 0;
    return sl_wrapping_mla(bias, -(int32_t)requant->in_zero, weights_sum);
}

/* kernels/depthwise/depthwise_f32_3x3_sme2.c: 3x3 depthwise convolution of f32, SME2. */
#include "kernels/depthwise/depthwise.h"
#include "kernels/depthwise/depthwise_pack.h"

enum { LEAST_VL = 4, VECTORS = 13 }; /* of weights for VL channels: bias four times, 9 taps */

#define SL_TYPE f32
#define KERNEL(stride) sl_depthwise_f32_f32_f32p1vl_3x3##stride##_sme2_mla
#include "kernels/depthwise/depthwise_3x3_sme2.h"

static size_t weights_bytes(const struct sl_depthwise_shape *s)
{
    size_t vl = svcntsw();
    return (s->channels + vl - 1) / vl * VECTORS * vl * sizeof(float);
}

static void pack_weights(const struct sl_depthwise_shape *s, const float *weights,
                         const float *bias, void *packed)
{
    size_t vl = svcntsw(), channels = s->channels;
    for (size_t c0 = 0; c0 < channels; c0 += vl) {
        for (size_t v = 0; v < VECTORS; v++)
            packed = sl_depthwise_put(v < 4 ? bias : weights + (v - 4) * channels, sizeof(float),
                                      c0, channels, vl, packed);
    }
}

/* kernels/depthwise/depthwise_f16_3x3_sme2.c: 3x3 depthwise convolution of halves, SME2. */
#include "kernels/depthwise/depthwise_f16.h"
#include "kernels/depthwise/depthwise_pack.h"

/* Vectors of weights for 2VL channels: the biases of even ones as floats, four times; of odd ones;
 * 9 taps in halves. */
enum { LEAST_VL = 8, BIASES = 8, TAPS = 9 };

#define SL_TYPE f16
#define KERNEL(stride) sl_depthwise_f16_f16_f16p2vl_3x3##stride##_sme2_mla
#include "kernels/depthwise/depthwise_3x3_sme2.h"

static size_t weights_bytes_s1(const struct sl_depthwise_shape *s)
{
    size_t vl = svcntsw();
    return (s->channels + 2 * vl - 1) / (2 * vl) * (BIASES + TAPS) * vl * sizeof(float);
}

static void pack_weights_s1(const struct sl_depthwise_shape *s, const uint16_t *weights,
                            const uint16_t *bias, void *packed)
{
    size_t vl = svcntsw(), channels = s->channels;
    for (size_t c0 = 0; c0 < channels; c0 += 2 * vl) {
        float *biases = packed;
        for (size_t i = 0; i < BIASES * vl; i++) {
            size_t c = c0 + 2 * (i % vl) + i / (4 * vl);
            *biases++ = bias && c < channels ? sl_half_to_float(bias[c]) : 0;
        }
        packed = biases;
        for (size_t t = 0; t < TAPS; t++)
            packed = sl_depthwise_put(weights + t * channels, sizeof(uint16_t), c0, channels,
                                      2 * vl, packed);
    }
}

static size_t weights_bytes_s2(const struct sl_depthwise_shape *s)
{
    return weights_bytes_s1(s);
}

static void pack_weights_s2(const struct sl_depthwise_shape *s, const uint16_t *weights,
                            const uint16_t *bias, void *packed)
{
    pack_weights_s1(s, weights, bias, packed);
}

static void run_strip_s2(struct sl_depthwise_f16_strip *strip) __arm_streaming __arm_inout("za")
{
    sl_depthwise_f16_3x3s2_sme2_asm(strip);
}

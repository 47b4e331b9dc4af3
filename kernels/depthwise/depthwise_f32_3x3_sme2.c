/* kernels/depthwise/depthwise_f32_3x3_sme2.c: 3x3 depthwise convolution of f32, SME2. */
#include "kernels/depthwise/depthwise.h"
#include "kernels/depthwise/depthwise_pack.h"

/* VECTORS: weights for VL channels, bias four times and 9 taps. PAIR: those for two vectors of
 * channels at stride 2. */
enum { LEAST_VL = 4, VECTORS = 13, PAIR = 26 };

#define SL_TYPE f32
#define KERNEL(stride) sl_depthwise_f32_f32_f32p1vl_3x3##stride##_sme2_mla
#include "kernels/depthwise/depthwise_3x3_sme2.inc"

/* Channels from `first` on. */
static void pack_from(const struct sl_depthwise_shape *s, size_t first, const float *weights,
                      const float *bias, void *packed)
{
    size_t vl = svcntsw(), channels = s->channels;
    for (size_t c0 = first; c0 < channels; c0 += vl) {
        for (size_t v = 0; v < VECTORS; v++)
            packed = sl_depthwise_put(v < 4 ? bias : weights + (v - 4) * channels, sizeof(float),
                                      c0, channels, vl, packed);
    }
}

static size_t weights_bytes_s1(const struct sl_depthwise_shape *s)
{
    size_t vl = svcntsw();
    return (s->channels + vl - 1) / vl * VECTORS * vl * sizeof(float);
}

static void pack_weights_s1(const struct sl_depthwise_shape *s, const void *weights_in,
                            const void *bias_in, void *packed)
{
    const float *weights = weights_in, *bias = bias_in;
    pack_from(s, 0, weights, bias, packed);
}

/* Channels that go by pairs of vectors; fewer than VL may be left over, or VL. */
static size_t paired(size_t channels, size_t vl) __arm_streaming_compatible
{
    return (channels + vl - 1) / (2 * vl) * 2 * vl;
}

static size_t weights_bytes_s2(const struct sl_depthwise_shape *s)
{
    size_t vl = svcntsw(), pairs = paired(s->channels, vl) / vl * (PAIR / 2);
    return (pairs + (paired(s->channels, vl) < s->channels ? VECTORS : 0)) * vl * sizeof(float);
}

/* The middle kernel column, the last and the first, each from top to bottom: three taps and one of
 * the other vector's; then, likewise, its other two. */
static void *pack_pair(const struct sl_depthwise_shape *s, size_t c0, const float *weights,
                       const float *bias, void *packed)
{
    static const struct {
        size_t ky, second;
    } four[] = {{0, 0}, {1, 0}, {2, 0}, {0, 1}}, two[] = {{1, 1}, {2, 1}};
    static const size_t columns[] = {1, 2, 0};
    size_t vl = svcntsw(), count = s->channels;
    for (size_t v = 0; v < 8; v++)
        packed = sl_depthwise_put(bias, sizeof(float), c0 + v / 4 * vl, count, vl, packed);
    for (size_t i = 0; i < 12; i++)
        packed = sl_depthwise_put(weights + (3 * four[i % 4].ky + columns[i / 4]) * count,
                                  sizeof(float), c0 + four[i % 4].second * vl, count, vl, packed);
    for (size_t i = 0; i < 6; i++)
        packed = sl_depthwise_put(weights + (3 * two[i % 2].ky + columns[i / 2]) * count,
                                  sizeof(float), c0 + two[i % 2].second * vl, count, vl, packed);
    return packed;
}

static void pack_weights_s2(const struct sl_depthwise_shape *s, const void *weights_in,
                            const void *bias_in, void *packed)
{
    const float *weights = weights_in, *bias = bias_in;
    size_t vl = svcntsw(), end = paired(s->channels, vl);
    for (size_t c0 = 0; c0 < end; c0 += 2 * vl)
        packed = pack_pair(s, c0, weights, bias, packed);
    pack_from(s, end, weights, bias, packed);
}

static void run_strip_s2(struct sl_depthwise_strip *strip) __arm_streaming __arm_inout("za")
{
    size_t vl = svcntw(), end = paired(strip->channels, vl);
    const float *weights = strip->weights;
    if (strip->channels == vl) {
        sl_depthwise_3x3s2_fours_sme2_asm(strip);
        return;
    }
    if (end > 0)
        sl_depthwise_3x3s2_pairs_sme2_asm(strip);
    if (end >= strip->channels)
        return;
    strip->first = end;
    strip->weights += end / 2 * PAIR;
    sl_depthwise_3x3s2_sme2_asm(strip);
    strip->first = 0;
    strip->weights = weights;
}

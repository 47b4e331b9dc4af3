/* kernels/depthwise/depthwise_f16_3x3_sme2.c: 3x3 depthwise convolution of halves, SME2. */
#include <string.h>

#include "kernels/depthwise/depthwise_f16.h"
#include "kernels/depthwise/depthwise_pack.h"

/* Vectors of weights for 2VL channels: the biases of even ones as floats, four times; of odd ones;
 * 9 taps in halves. For three such vectors together: as pack_triple() says. */
enum { LEAST_VL = 8, BIASES = 8, TAPS = 9, TRIPLE = 36 };

#define SL_TYPE f16
#define KERNEL(stride) sl_depthwise_f16_f16_f16p2vl_3x3##stride##_sme2_mla
#include "kernels/depthwise/depthwise_3x3_sme2.h"

static size_t vectors_of(const struct sl_depthwise_shape *s)
{
    size_t vl = svcntsw();
    return (s->channels + 2 * vl - 1) / (2 * vl);
}

static size_t weights_bytes_s1(const struct sl_depthwise_shape *s)
{
    return vectors_of(s) * (BIASES + TAPS) * svcntsw() * sizeof(float);
}

/* Single vectors, of the channels from c0 on. */
static void pack_singles(const struct sl_depthwise_shape *s, const uint16_t *weights,
                         const uint16_t *bias, size_t c0, void *packed)
{
    size_t vl = svcntsw(), channels = s->channels;
    for (; c0 < channels; c0 += 2 * vl) {
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

static void pack_weights_s1(const struct sl_depthwise_shape *s, const uint16_t *weights,
                            const uint16_t *bias, void *packed)
{
    pack_singles(s, weights, bias, 0, packed);
}

/* Vectors of channels that go by threes at stride 2; ZA has room for them from 512 bits on. */
static size_t triples_of(const struct sl_depthwise_shape *s)
{
    return svcntsw() < 16 ? 0 : vectors_of(s) / 3;
}

static size_t weights_bytes_s2(const struct sl_depthwise_shape *s)
{
    size_t triples = triples_of(s), singles = vectors_of(s) - 3 * triples;
    return (triples * TRIPLE + singles * (BIASES + TAPS)) * svcntsw() * sizeof(float);
}

/* Biases, as floats: of the even channels of each vector, of its odd ones; two vectors unused. The
 * last weight of each kernel column's nine, row by row and three of each; one unused. The others.
 */
static void *pack_triple(const struct sl_depthwise_shape *s, const uint16_t *weights,
                         const uint16_t *bias, size_t c0, void *packed)
{
    size_t vl = svcntsw(), channels = s->channels;
    float *biases = packed;
    for (size_t i = 0; i < 8 * vl; i++) {
        size_t c = c0 + i / (2 * vl) * 2 * vl + 2 * (i % vl) + i / vl % 2;
        biases[i] = bias && i < 6 * vl && c < channels ? sl_half_to_float(bias[c]) : 0;
    }
    uint16_t *last = (uint16_t *)(biases + 8 * vl), *others = last + 8 * vl;
    memset(last, 0, 8 * vl * sizeof(*last));
    for (size_t kx = 0; kx < 3; kx++) {
        for (size_t i = 0; i < TAPS; i++) {
            const uint16_t *from = weights + (i / 3 * 3 + kx) * channels;
            uint16_t *to = i < TAPS - 1 ? others : last;
            void *end =
                sl_depthwise_put(from, sizeof(*from), c0 + i % 3 * 2 * vl, channels, 2 * vl, to);
            *(i < TAPS - 1 ? &others : &last) = end;
        }
    }
    return others;
}

static void pack_weights_s2(const struct sl_depthwise_shape *s, const uint16_t *weights,
                            const uint16_t *bias, void *packed)
{
    size_t vl = svcntsw(), first = triples_of(s) * 6 * vl;
    for (size_t c = 0; c < first; c += 6 * vl)
        packed = pack_triple(s, weights, bias, c, packed);
    pack_singles(s, weights, bias, first, packed);
}

static void run_strip_s2(struct sl_depthwise_f16_strip *strip) __arm_streaming __arm_inout("za")
{
    struct sl_depthwise_f16_strip rest = *strip;
    size_t vl = svcntsw(), triples = vl < 16 ? 0 : (rest.channels + 2 * vl - 1) / (2 * vl) / 3;
    rest.first = triples * 6 * vl;
    rest.weights = (const float *)rest.weights + triples * TRIPLE * vl;
    if (triples > 0)
        sl_depthwise_f16_3x3s2_triples_sme2_asm(strip);
    if (rest.first < rest.channels)
        sl_depthwise_f16_3x3s2_sme2_asm(&rest);
}

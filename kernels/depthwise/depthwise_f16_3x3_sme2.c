/* kernels/depthwise/depthwise_f16_3x3_sme2.c: 3x3 depthwise convolution of halves, SME2. */
#include <string.h>

#include "kernels/depthwise/depthwise.h"
#include "kernels/depthwise/depthwise_pack.h"

/* Vectors of weights for 2VL channels: the biases of even ones as floats, four times; of odd ones;
 * 9 taps in halves. For two such vectors together and three: as put_pair() and put_triple() say. */
enum { LEAST_VL = 8, BIASES = 8, TAPS = 9, PAIR = 22, TRIPLE = 36 };

#define SL_TYPE f16
#define KERNEL(stride) sl_depthwise_f16_f16_f16p2vl_3x3##stride##_sme2_mla
#include "kernels/depthwise/depthwise_3x3_sme2.inc"

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

static void pack_weights_s1(const struct sl_depthwise_shape *s, const void *weights_in,
                            const void *bias_in, void *packed)
{
    const uint16_t *weights = weights_in, *bias = bias_in;
    pack_singles(s, weights, bias, 0, packed);
}

/* How many vectors of channels go by threes at stride 2, by twos and alone. */
struct parts {
    size_t triples, pairs, singles;
};

/* ZA has room for three from 512 bits on. Two pairs take less than three and one. */
static struct parts parts_of(size_t channels) __arm_streaming_compatible
{
    size_t vl = svcntsw(), vectors = (channels + 2 * vl - 1) / (2 * vl);
    if (vl < 16 || vectors == 1)
        return (struct parts){0, vectors / 2, vectors % 2};
    size_t pairs = (3 - vectors % 3) % 3;
    return (struct parts){(vectors - 2 * pairs) / 3, pairs, 0};
}

static size_t weights_bytes_s2(const struct sl_depthwise_shape *s)
{
    struct parts parts = parts_of(s->channels);
    size_t vectors = parts.triples * TRIPLE + parts.pairs * PAIR + parts.singles * (BIASES + TAPS);
    return vectors * svcntsw() * sizeof(float);
}

/* The vectors of channels from c0 on that go together. */
struct together {
    const struct sl_depthwise_shape *s;
    const uint16_t *weights, *bias;
    size_t c0, vectors;
};

/* First the even channels of each vector, then its odd ones. */
static void *put_biases(const struct together *t, void *to)
{
    size_t vl = svcntsw();
    float *out = to;
    for (size_t i = 0; i < 2 * t->vectors * vl; i++) {
        size_t c = t->c0 + i / (2 * vl) * 2 * vl + 2 * (i % vl) + i / vl % 2;
        *out++ = t->bias && c < t->s->channels ? sl_half_to_float(t->bias[c]) : 0;
    }
    return out;
}

/* Vectors of weights `from` to `end` of each kernel column: row by row, those of a row together. */
static void *put_taps(const struct together *t, size_t from, size_t end, void *out)
{
    size_t width = 2 * svcntsw(), channels = t->s->channels;
    for (size_t kx = 0; kx < 3; kx++)
        for (size_t i = from; i < end; i++)
            out = sl_depthwise_put(t->weights + (i / t->vectors * 3 + kx) * channels,
                                   sizeof(*t->weights), t->c0 + i % t->vectors * width, channels,
                                   width, out);
    return out;
}

static void *put_zeros(size_t vectors, void *out)
{
    memset(out, 0, vectors * svcntsb());
    return (char *)out + vectors * svcntsb();
}

static void *put_pair(const struct together *t, void *out)
{
    return put_taps(t, 2, 6, put_biases(t, put_taps(t, 0, 2, out)));
}

static void *put_triple(const struct together *t, void *out)
{
    out = put_zeros(2, put_biases(t, out));
    out = put_zeros(1, put_taps(t, 8, 9, out));
    return put_taps(t, 0, 8, out);
}

static void pack_weights_s2(const struct sl_depthwise_shape *s, const void *weights_in,
                            const void *bias_in, void *packed)
{
    const uint16_t *weights = weights_in, *bias = bias_in;
    size_t width = 2 * svcntsw();
    struct parts parts = parts_of(s->channels);
    struct together t = {s, weights, bias, 0, 3};
    for (size_t i = 0; i < parts.triples; i++, t.c0 += 3 * width)
        packed = put_triple(&t, packed);
    t.vectors = 2;
    for (size_t i = 0; i < parts.pairs; i++, t.c0 += 2 * width)
        packed = put_pair(&t, packed);
    if (parts.singles > 0)
        pack_singles(s, weights, bias, t.c0, packed);
}

/* Leaves the `count` parts of `vectors` weights each behind. */
static void go_on(struct sl_depthwise_f16_strip *strip, size_t count,
                  size_t vectors) __arm_streaming
{
    strip->first = strip->end;
    strip->weights = (const float *)strip->weights + count * vectors * svcntsw();
}

static void run_strip_s2(struct sl_depthwise_f16_strip *strip) __arm_streaming __arm_inout("za")
{
    if (strip->channels == svcnth()) {
        sl_depthwise_f16_3x3s2_fours_sme2_asm(strip);
        return;
    }
    if (strip->channels < svcnth()) {
        sl_depthwise_f16_3x3s2_sme2_asm(strip);
        return;
    }
    const void *weights = strip->weights;
    struct parts parts = parts_of(strip->channels);
    strip->first = 0;
    strip->end = parts.triples * 6 * svcntsw();
    if (parts.triples > 0) {
        sl_depthwise_f16_3x3s2_triples_sme2_asm(strip);
        go_on(strip, parts.triples, TRIPLE);
    }
    strip->end += parts.pairs * 4 * svcntsw();
    if (parts.pairs > 0) {
        sl_depthwise_f16_3x3s2_pairs_sme2_asm(strip);
        go_on(strip, parts.pairs, PAIR);
    }
    if (parts.singles > 0)
        sl_depthwise_f16_3x3s2_sme2_asm(strip);
    strip->weights = weights;
}

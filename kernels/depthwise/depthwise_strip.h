/* kernels/depthwise/depthwise_strip.h: a strip of output rows of a 3x3 depthwise convolution, what
 * the assembly of the SME2 kernel is called for. Internal to it and its tests. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Pixels are `channels` floats, neighbours in x are neighbours in memory. Input columns run from
 * the image's first one on; pointers that stand for padding are not read.
 * Stride 1: `lead` columns complete no output (2 - pad_left), the `body` after them one each; with
 * `trail` one more output ends in a padded column. `out` is where the output of input column 0
 * would lie if it had been complete there, 2 - pad_left pixels before the strip's first output.
 * Stride 2: with `lead` the first window starts in column 0, else one before it; `body` outputs
 * have all their columns, `trail` is one more without its last; `out` is the strip's first output.
 */
struct sl_depthwise_strip {
    const float *in;      /* the first output row's first input row */
    int64_t in_row_bytes; /* from row to row */
    float *out;
    int64_t out_row_bytes;
    const float *weights; /* per VL channels: bias four times, the 9 taps, each VL */
    size_t channels, lead, body, trail;
    size_t rows; /* outputs: 1 to 8 for stride 1 (to 4 when VL is 4), 1 to 4 for stride 2 */
    uint32_t top, bottom; /* 1: the first, the last input row is padding */
    float min, max;
    size_t first; /* channel; `weights` are of those from it on */
};

/* The same of halves. Weights are per 2VL channels: biases as floats, of even channels four times
 * VL, of odd ones likewise, then the 9 taps in halves. Sums are in f32. */
struct sl_depthwise_f16_strip {
    const uint16_t *in;
    int64_t in_row_bytes;
    uint16_t *out;
    int64_t out_row_bytes;
    const void *weights;
    size_t channels, lead, body, trail;
    size_t rows; /* 1 to 8 for stride 1 (to 4 when VL is 8), 1 to 4 for stride 2; VL at least 8 */
    uint32_t top, bottom;
    float min, max;
    size_t first;
    size_t end; /* of the channels, where two or three vectors go together */
};

/* The streaming forms of f32 in plain C; `stride` is 1 or 2. */
void sl_depthwise_strip_scalar(const struct sl_depthwise_strip *strip, size_t stride, size_t vl);

#if defined(__ARM_FEATURE_SME2)
#include <arm_sme.h>
void sl_depthwise_3x3s1_sme2_asm(
    const struct sl_depthwise_strip *strip) __arm_streaming __arm_inout("za");
void sl_depthwise_3x3s2_sme2_asm(
    const struct sl_depthwise_strip *strip) __arm_streaming __arm_inout("za");
/* Pairs of vectors of channels from 0 on, while more than one vector is left; their weights are
 * packed otherwise: per 2 VL channels 26 vectors, depthwise_f32_3x3_sme2.c. */
void sl_depthwise_3x3s2_pairs_sme2_asm(
    const struct sl_depthwise_strip *strip) __arm_streaming __arm_inout("za");
/* One vector of channels, all of it. */
void sl_depthwise_3x3s2_fours_sme2_asm(
    const struct sl_depthwise_strip *strip) __arm_streaming __arm_inout("za");
void sl_depthwise_f16_3x3s2_fours_sme2_asm(
    const struct sl_depthwise_f16_strip *strip) __arm_streaming __arm_inout("za");
void sl_depthwise_f16_3x3s1_sme2_asm(
    const struct sl_depthwise_f16_strip *strip) __arm_streaming __arm_inout("za");
void sl_depthwise_f16_3x3s2_sme2_asm(
    const struct sl_depthwise_f16_strip *strip) __arm_streaming __arm_inout("za");
/* Three and two vectors of channels together, from `first` to `end`, rounded up to such; their
 * weights are packed otherwise: 36 and 22 vectors, depthwise_f16_3x3_sme2.c. VL is at least 16 for
 * three. */
void sl_depthwise_f16_3x3s2_triples_sme2_asm(
    const struct sl_depthwise_f16_strip *strip) __arm_streaming __arm_inout("za");
void sl_depthwise_f16_3x3s2_pairs_sme2_asm(
    const struct sl_depthwise_f16_strip *strip) __arm_streaming __arm_inout("za");
#endif

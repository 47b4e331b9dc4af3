/* kernels/depthwise/depthwise_window.h: a strip of output rows of a 5x5 depthwise convolution, what
 * the assembly of the SME2 kernel is called for. Internal to it and its tests. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    SL_WINDOW_VECTORS = 32, /* of weights for VL channels: bias four times, 25 taps, three unused */
    SL_WINDOW_ROWS = 4,     /* outputs of a strip at most */
};

/* Pixels are `channels` floats, neighbours in x are neighbours in memory. Input columns outside
 * [0, in_w) are padding, and so are the first `top` and the last `bottom` input rows, at most two
 * each: pointers that stand for them are not read. */
struct sl_depthwise_window {
    const float *in;      /* the first output row's first input row, in column 0 */
    int64_t in_row_bytes; /* from row to row */
    float *out;           /* the strip's first output */
    int64_t out_row_bytes;
    const float *weights; /* per VL channels SL_WINDOW_VECTORS of VL, taps by window_columns() */
    size_t channels, pad_left, in_w, out_w;
    size_t rows; /* outputs: 1 to SL_WINDOW_ROWS */
    uint32_t top, bottom;
    float min, max;
};

/* The same of halves, for windows of 3 at stride 2, of 5, and of 7 at stride 1; sums are in f32.
 * `top` and `bottom` are at most half a window. */
struct sl_depthwise_f16_window {
    const uint16_t *in;
    int64_t in_row_bytes;
    uint16_t *out;
    int64_t out_row_bytes;
    const void *weights; /* per 4 VL channels, as depthwise_f16_pairs_sme2.c packs them */
    size_t channels, pad_left, in_w, out_w;
    size_t rows;
    uint32_t top, bottom;
    uint16_t min, max;
    size_t inside; /* input columns with which a block of two outputs may begin and lie inside */
    size_t first, end; /* of the channels */
};

/* The taps' order: kernel columns as they meet an input column, each from top to bottom. */
static inline const size_t *sl_window_columns(size_t stride)
{
    static const size_t one[] = {4, 3, 2, 1, 0}, two[] = {4, 2, 0, 1, 3};
    return stride == 1 ? one : two;
}

/* The streaming forms in plain C; `stride` is 1 or 2. */
void sl_depthwise_window_scalar(const struct sl_depthwise_window *window, size_t stride, size_t vl);

#if defined(__ARM_FEATURE_SME2)
#include <arm_sme.h>
void sl_depthwise_5x5s1_sme2_asm(
    const struct sl_depthwise_window *window) __arm_streaming __arm_inout("za");
void sl_depthwise_5x5s2_sme2_asm(
    const struct sl_depthwise_window *window) __arm_streaming __arm_inout("za");

typedef void sl_depthwise_f16_window_fn(
    const struct sl_depthwise_f16_window *window) __arm_streaming __arm_inout("za");
sl_depthwise_f16_window_fn sl_depthwise_f16_5x5s1_pairs_sme2_asm;
sl_depthwise_f16_window_fn sl_depthwise_f16_5x5s2_pairs_sme2_asm;
sl_depthwise_f16_window_fn sl_depthwise_f16_7x7s1_pairs_sme2_asm;
/* A last vector of channels alone, whose weights are there for the second vector of a pair too. */
sl_depthwise_f16_window_fn sl_depthwise_f16_5x5s2_lone_sme2_asm;
#endif

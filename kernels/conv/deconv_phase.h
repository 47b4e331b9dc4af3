/* kernels/conv/deconv_phase.h: a transposed convolution as plain ones of stride 1.
 *
 * Output rows and columns that lie a stride apart meet the same taps: each such phase is a plain
 * convolution with some of the taps, in reverse, whose results are every stride-th pixel. */
#pragma once

#include "kernels/conv/conv.h"

/* Along one axis, output o meets tap k at input (o + pad - k * dilation) / stride when that is
 * whole. */
struct sl_deconv_axis {
    size_t outputs;       /* of this phase */
    size_t taps;          /* may be 0 */
    size_t first, step;   /* the tap of the smallest input, and how far to the next below it */
    size_t dilation, pad; /* of the plain convolution; pad may be negative (wrapped) */
};

struct sl_deconv_phase {
    struct sl_deconv_axis v, h;
    struct sl_conv_shape shape; /* of the plain convolution; with no taps it has one, outside */
};

/* There are stride_h * stride_w phases, counted row by row. */
struct sl_deconv_phase sl_deconv_phase_of(const struct sl_conv_shape *shape, size_t index);

/* The place of the phases' results: the output itself if its rows are long. Otherwise they lie side
 * by side in rows of all columns' phases, `rows` of them for each phase of rows, and are copied to
 * their places later. In elements. */
struct sl_deconv_place {
    bool through;         /* side by side */
    size_t columns, rows; /* of every phase then */
    size_t row;           /* from row to row then */
    size_t elements;      /* of all of them */
};
/* `dense`: the output's pixels follow each other. */
struct sl_deconv_place sl_deconv_place_of(const struct sl_conv_shape *shape, bool dense);

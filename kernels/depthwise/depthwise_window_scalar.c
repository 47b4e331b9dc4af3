/* kernels/depthwise/depthwise_window_scalar.c: the statement of what a strip of windows computes.
 */
#include <math.h>

#include "kernels/cpu/clamp.h"
#include "kernels/depthwise/depthwise_window.h"

/* The tap of input row y and column x, for channel c; 0 in padding. */
static float pixel_at(const struct sl_depthwise_window *w, size_t input_rows, size_t y, int64_t x,
                      size_t c)
{
    if (y < w->top || y >= input_rows - w->bottom || x < 0 || x >= (int64_t)w->in_w)
        return 0;
    const char *line = (const char *)w->in + (int64_t)y * w->in_row_bytes;
    return ((const float *)(const void *)line)[(size_t)x * w->channels + c];
}

static float output_at(const struct sl_depthwise_window *w, size_t stride, size_t row, size_t ox,
                       size_t c, size_t vl)
{
    const float *weights = w->weights + c / vl * SL_WINDOW_VECTORS * vl + c % vl;
    const size_t *order = sl_window_columns(stride);
    size_t input_rows = (w->rows - 1) * stride + 5;
    float sum = weights[0];
    for (size_t kx = 0; kx < 5; kx++) {
        size_t at = 0;
        while (order[at] != kx)
            at++;
        int64_t x = (int64_t)(ox * stride + kx) - (int64_t)w->pad_left;
        if (x < 0 || x >= (int64_t)w->in_w)
            continue;
        for (size_t ky = 0; ky < 5; ky++)
            sum = fmaf(pixel_at(w, input_rows, row * stride + ky, x, c),
                       weights[(4 + 5 * at + ky) * vl], sum);
    }
    return sl_clamp(sum, w->min, w->max);
}

void sl_depthwise_window_scalar(const struct sl_depthwise_window *w, size_t stride, size_t vl)
{
    for (size_t row = 0; row < w->rows; row++) {
        char *line = (char *)w->out + (int64_t)row * w->out_row_bytes;
        float *out = (float *)(void *)line;
        for (size_t ox = 0; ox < w->out_w; ox++)
            for (size_t c = 0; c < w->channels; c++)
                out[ox * w->channels + c] = output_at(w, stride, row, ox, c, vl);
    }
}

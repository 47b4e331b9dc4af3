/* kernels/depthwise/depthwise_strip_scalar.c: the statement of what a strip computes. */
#include <math.h>

#include "kernels/cpu/clamp.h"
#include "kernels/depthwise/depthwise_strip.h"

/* Output (row, column) of channel c; `first` is the input column of its first tap, `columns` how
 * many the strip has. */
static float output_at(const struct sl_depthwise_strip *strip, size_t stride, size_t row,
                       int64_t first, int64_t columns, size_t c, size_t vl)
{
    const float *weights = strip->weights + c / vl * 13 * vl + c % vl;
    float sum = weights[0];
    for (size_t kx = 0; kx < 3; kx++) {
        for (size_t ky = 0; ky < 3; ky++) {
            size_t y = row * stride + ky;
            int64_t x = first + (int64_t)kx;
            if ((y == 0 && strip->top) || (y == (strip->rows - 1) * stride + 2 && strip->bottom) ||
                x < 0 || x >= columns)
                continue;
            const char *line = (const char *)strip->in + (int64_t)y * strip->in_row_bytes;
            const float *pixel = (const float *)(const void *)line + x * (int64_t)strip->channels;
            sum = fmaf(pixel[c], weights[(4 + 3 * ky + kx) * vl], sum);
        }
    }
    return sl_clamp(sum, strip->min, strip->max);
}

void sl_depthwise_strip_scalar(const struct sl_depthwise_strip *strip, size_t stride, size_t vl)
{
    int64_t outputs = (int64_t)(strip->body + strip->trail);
    int64_t lead = (int64_t)strip->lead, body = (int64_t)strip->body;
    int64_t pad = stride == 1 ? 2 - lead : 1 - lead;
    int64_t columns = stride == 1 ? lead + body : lead + 2 * body + (int64_t)strip->trail;
    int64_t shift = stride == 1 ? lead : 0; /* pixels from `out` to the first output */
    for (size_t row = 0; row < strip->rows; row++) {
        char *line = (char *)strip->out + (int64_t)row * strip->out_row_bytes;
        for (int64_t x = 0; x < outputs; x++) {
            float *pixel = (float *)(void *)line + (x + shift) * (int64_t)strip->channels;
            for (size_t c = 0; c < strip->channels; c++)
                pixel[c] = output_at(strip, stride, row, x * (int64_t)stride - pad, columns, c, vl);
        }
    }
}

/* kernels/depthwise/depthwise_columns_scalar.c: the statement of what the columns of the SME2
 * kernel are. */
#include "kernels/cpu/requant.h"
#include "kernels/depthwise/depthwise_columns.h"

static int8_t value_at(const struct sl_depthwise_columns *job, int is_3x3, size_t row, size_t x,
                       size_t c, size_t vl)
{
    const int32_t *start = job->weights;
    const float *scale = (const float *)(start + 4 * vl);
    const int8_t *taps = (const int8_t *)(scale + 4 * vl);
    const struct sl_requant_out out = {(int8_t)job->zero, (int8_t)(job->min + job->zero),
                                       (int8_t)(job->max + job->zero)};
    size_t at = c % 4 * vl + c / 4;
    int32_t sum = start[at];
    for (size_t ky = 0; ky < job->kernel_h; ky++)
        for (size_t kx = 0; kx < job->kernel_w; kx++) {
            const int8_t *line = is_3x3 ? job->rows[row + ky] : job->rows[row] + ky * job->down;
            sum = sl_wrapping_mla(sum, line[x * job->column + kx * job->across + c],
                                  taps[(ky * job->kernel_w + kx) * 4 * vl + c]);
        }
    return sl_requant(sum, scale[at], out);
}

void sl_depthwise_columns_scalar(const struct sl_depthwise_columns *job, int is_3x3, size_t vl)
{
    for (size_t row = 0; row < job->stored; row++)
        for (size_t x = 0; x < job->outputs; x++)
            for (size_t c = 0; c < job->channels; c++)
                job->out[row][x * job->out_column + c] = value_at(job, is_3x3, row, x, c, vl);
}

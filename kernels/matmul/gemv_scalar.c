/* kernels/matmul/gemv_scalar.c: weights in lines of 16 VL, and the statement of what one row times
 * them computes. */
#include <math.h>

#include "kernels/cpu/clamp.h"
#include "kernels/matmul/gemv.h"

static size_t line_width(size_t columns_left, size_t vl)
{
    size_t quads = (columns_left + 4 * vl - 1) / (4 * vl);
    return (quads < 4 ? quads : 4) * 4 * vl;
}

size_t sl_gemv_f32_floats(size_t n, size_t k, size_t vl)
{
    size_t whole = n / (16 * vl) * (16 * vl);
    return (whole + line_width(n - whole, vl)) * (k + 1);
}

void sl_gemv_f32_pack(size_t n, size_t k, const float *weights, size_t n_stride, size_t k_stride,
                      const float *bias, size_t vl, float *packed)
{
    for (size_t n0 = 0; n0 < n; n0 += 16 * vl) {
        size_t width = line_width(n - n0, vl);
        size_t columns = n - n0 < width ? n - n0 : width;
        for (size_t j = 0; j < width; j++)
            *packed++ = bias && j < columns ? bias[n0 + j] : 0;
        for (size_t i = 0; i < k; i++) {
            const float *line = weights + i * k_stride + n0 * n_stride;
            for (size_t j = 0; j < width; j++)
                *packed++ = j < columns ? line[j * n_stride] : 0;
        }
    }
}

void sl_gemv_f32_scalar(const struct sl_gemv_f32 *job, size_t vl)
{
    const float *line = job->weights;
    for (size_t n0 = 0; n0 < job->n; n0 += 16 * vl) {
        size_t width = line_width(job->n - n0, vl);
        for (size_t j = 0; j < width && n0 + j < job->n; j++) {
            float sum = line[j];
            for (size_t i = 0; i < job->k; i++)
                sum = fmaf(job->row[i], line[(i + 1) * width + j], sum);
            job->dst[n0 + j] = sl_clamp(sum, job->min, job->max);
        }
        line += width * (job->k + 1);
    }
}

/* kernels/matmul/matmul_mopa_scalar.c: panels of the right operand, and the statement of what the
 * outer products over packed panels compute. */
#include "kernels/matmul/matmul_mopa.h"

#include <math.h>

#include "kernels/cpu/clamp.h"

static size_t panel_width(size_t columns_left, size_t vl)
{
    return columns_left > vl ? 2 * vl : vl;
}

size_t sl_mopa_f32_rhs_floats(size_t n, size_t k, size_t vl)
{
    size_t whole = n / (2 * vl) * (2 * vl);
    return (whole + (n > whole ? panel_width(n - whole, vl) : 0)) * (k + 1);
}

void sl_mopa_f32_pack_rhs(size_t n, size_t k, const float *weights, size_t n_stride,
                          size_t k_stride, const float *bias, size_t vl, float *packed)
{
    for (size_t n0 = 0; n0 < n; n0 += 2 * vl) {
        size_t width = panel_width(n - n0, vl);
        size_t columns = n - n0 < width ? n - n0 : width;
        for (size_t j = 0; j < width; j++)
            *packed++ = bias && j < columns ? bias[n0 + j] : 0;
        for (size_t i = 0; i < k; i++) {
            const float *row = weights + i * k_stride + n0 * n_stride;
            for (size_t j = 0; j < columns; j++)
                packed[j] = row[j * n_stride];
            for (size_t j = columns; j < width; j++)
                packed[j] = 0;
            packed += width;
        }
    }
}

void sl_mopa_f32_scalar(const struct sl_mopa_f32 *job, size_t vl)
{
    const float *panel = job->rhs;
    for (size_t n0 = 0; n0 < job->n; n0 += 2 * vl) {
        size_t width = panel_width(job->n - n0, vl);
        size_t columns = job->n - n0 < width ? job->n - n0 : width;
        for (size_t row = 0; row < job->m; row++) {
            const float *lhs = job->lhs + row / vl * job->k * vl + row % vl;
            for (size_t j = 0; j < columns; j++) {
                float sum = panel[j];
                for (size_t i = 0; i < job->k; i++)
                    sum = fmaf(lhs[i * vl], panel[(i + 1) * width + j], sum);
                job->dst[row * job->dst_stride + n0 + j] = sl_clamp(sum, job->min, job->max);
            }
        }
        panel += width * (job->k + 1);
    }
}

void sl_mopa_f32_few_scalar(const struct sl_mopa_f32_few *few, size_t vl)
{
    const struct sl_mopa_f32 *job = &few->product;
    for (size_t row = 0; row < job->m; row++) {
        const float *lhs = few->rows + row * few->row_stride;
        for (size_t j = 0; j < job->n; j++) {
            float sum = job->rhs[j];
            for (size_t i = 0; i < job->k; i++)
                sum = fmaf(lhs[i], job->rhs[(i + 1) * vl + j], sum);
            job->dst[row * job->dst_stride + j] = sl_clamp(sum, job->min, job->max);
        }
    }
}

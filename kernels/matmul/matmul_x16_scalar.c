/* kernels/matmul/matmul_x16_scalar.c: panels of 16-bit weights, and the statement of what products
 * over them compute. */
#include <math.h>
#include <string.h>

#include "kernels/cpu/clamp.h"
#include "kernels/cpu/half.h"
#include "kernels/matmul/gemv.h"
#include "kernels/matmul/matmul_mopa.h"
#include "kernels/pack/pack_rhs_x16.h"

typedef float (*widen_fn)(uint16_t bits);

static size_t panel_width(size_t columns_left, size_t most, size_t least)
{
    return columns_left < most ? (columns_left + least - 1) / least * least : most;
}

static float bias_of(const struct sl_pack_rhs_x16 *job, size_t column)
{
    if (!job->bias)
        return 0;
    return job->half_bias ? sl_half_to_float(((const uint16_t *)job->bias)[column])
                          : ((const float *)job->bias)[column];
}

/* Weight i of segment s of a column, 0 past its end. */
static uint16_t weight_of(const struct sl_pack_rhs_x16 *job, size_t column, size_t s, size_t i)
{
    if (i >= job->k || column >= job->n)
        return 0;
    return job->transposed ? job->weights[i * job->n + column]
                           : job->weights[(column * job->segments + s) * job->k + i];
}

void sl_mopa_x16_pack_rhs(const struct sl_pack_rhs_x16 *job, size_t vl)
{
    float *out = job->packed;
    for (size_t n0 = 0; n0 < job->n; n0 += job->panel_vl * vl) {
        size_t width = panel_width(job->n - n0, job->panel_vl * vl, job->least_vl * vl);
        for (size_t j = 0; j < width; j++)
            *out++ = n0 + j < job->n ? bias_of(job, n0 + j) : 0;
        for (size_t s = 0; s < job->segments; s++)
            for (size_t i = 0; i < job->k; i += 2)
                for (size_t j = 0; j < width; j++, out++) {
                    uint16_t pair[2] = {weight_of(job, n0 + j, s, i),
                                        weight_of(job, n0 + j, s, i + 1)};
                    memcpy(out, pair, sizeof(pair));
                }
    }
}

static float add_pair(widen_fn widen, const uint16_t *a, const float *lane, float sum)
{
    uint16_t b[2];
    memcpy(b, lane, sizeof(b));
    double products = (double)widen(a[0]) * (double)widen(b[0]);
    return sum + (float)(products + (double)widen(a[1]) * (double)widen(b[1]));
}

static void mopa(const struct sl_mopa_x16 *job, size_t vl, widen_fn widen, bool half_result)
{
    const float *panel = job->rhs;
    for (size_t n0 = 0; n0 < job->n; n0 += 2 * vl) {
        size_t width = panel_width(job->n - n0, 2 * vl, vl);
        for (size_t row = 0; row < job->m; row++) {
            const uint16_t *lhs = job->lhs + (row / vl * job->k * vl + row % vl) * 2;
            for (size_t j = 0; j < width && n0 + j < job->n; j++) {
                float sum = panel[j];
                for (size_t i = 0; i < job->k; i++)
                    sum = add_pair(widen, lhs + 2 * i * vl, panel + (i + 1) * width + j, sum);
                sum = sl_clamp(sum, job->min, job->max);
                size_t at = row * job->dst_stride + n0 + j;
                if (half_result)
                    ((uint16_t *)job->dst)[at] = sl_half_from_float(sum);
                else
                    ((float *)job->dst)[at] = sum;
            }
        }
        panel += width * (job->k + 1);
    }
}

void sl_mopa_f16_scalar(const struct sl_mopa_x16 *job, size_t vl)
{
    mopa(job, vl, sl_half_to_float, true);
}

void sl_mopa_bf16_scalar(const struct sl_mopa_x16 *job, size_t vl)
{
    mopa(job, vl, sl_bfloat_to_float, false);
}

static void gemv(const struct sl_gemv_x16 *job, size_t vl, widen_fn widen, bool half_result)
{
    const float *line = job->weights;
    for (size_t n0 = 0; n0 < job->n; n0 += 16 * vl) {
        size_t width = panel_width(job->n - n0, 16 * vl, 4 * vl);
        for (size_t j = 0; j < width && n0 + j < job->n; j++) {
            float sum = line[j];
            for (size_t i = 0; i < job->k; i += 2) {
                uint16_t pair[2] = {job->row[i], i + 1 < job->k ? job->row[i + 1] : 0};
                sum = add_pair(widen, pair, line + (i / 2 + 1) * width + j, sum);
            }
            sum = sl_clamp(sum, job->min, job->max);
            if (half_result)
                ((uint16_t *)job->dst)[n0 + j] = sl_half_from_float(sum);
            else
                ((float *)job->dst)[n0 + j] = sum;
        }
        line += width * ((job->k + 1) / 2 + 1);
    }
}

void sl_gemv_f16_scalar(const struct sl_gemv_x16 *job, size_t vl)
{
    gemv(job, vl, sl_half_to_float, true);
}

void sl_gemv_bf16_scalar(const struct sl_gemv_x16 *job, size_t vl)
{
    gemv(job, vl, sl_bfloat_to_float, false);
}

/* kernels/matmul/mopa_qs8_scalar.c: the statements of int8 panels and of the product over them. */
#include <string.h>

#include "kernels/matmul/mopa_qs8.h"

/* Width in columns of the panel that starts at `column`. */
static size_t panel_width(const struct sl_rhs_qs8 *job, size_t column, size_t vl)
{
    size_t least = job->least_vl * vl, most = job->panel_vl * vl, left = job->n - column;
    return left < most ? (left + least - 1) / least * least : most;
}

size_t sl_rhs_qs8_bytes(size_t n, size_t steps, size_t least_vl, size_t vl)
{
    size_t least = least_vl * vl;
    return (n + least - 1) / least * least * (steps + 2) * 4;
}

/* Column c of the weights into lane j of a panel; its sum. */
static int32_t put_column(const struct sl_rhs_qs8 *job, size_t c, size_t width, int8_t *out)
{
    size_t length = job->segment_length, steps = (length + 3) / 4;
    int32_t sum = 0;
    for (size_t s = 0; s < job->segments; s++) {
        for (size_t i = 0; i < length; i++) {
            int8_t w = job->weights[job->transposed ? i * job->n + c
                                                    : (c * job->segments + s) * length + i];
            out[((s * steps + i / 4) * width) * 4 + i % 4] = w;
            sum += w;
        }
    }
    return sum;
}

void sl_rhs_qs8_pack_scalar(const struct sl_rhs_qs8 *job, size_t vl)
{
    size_t steps = sl_rhs_qs8_steps(job->segments, job->segment_length);
    int32_t *panel = job->packed;
    memset(panel, 0, sl_rhs_qs8_bytes(job->n, steps, job->least_vl, vl));
    for (size_t first = 0; first < job->n;) {
        size_t width = panel_width(job, first, vl);
        float *scale = (float *)(panel + width);
        for (size_t j = 0; j < width && first + j < job->n; j++) {
            int8_t *out = (int8_t *)(panel + 2 * width + j);
            int32_t sum = put_column(job, first + j, width, out);
            panel[j] = sl_requant_start(job->requant, first + j, sum);
            scale[j] = job->requant->scale[first + j];
        }
        first += width;
        panel += width * (steps + 2);
    }
}

static int32_t dot(const int8_t *a, const int8_t *b, size_t steps, size_t a_step, size_t b_step)
{
    uint32_t sum = 0;
    for (size_t s = 0; s < steps; s++)
        for (size_t i = 0; i < 4; i++)
            sum += (uint32_t)(a[s * a_step + i] * b[s * b_step + i]);
    return (int32_t)sum;
}

void sl_mopa_qs8_scalar(const struct sl_mopa_qs8 *job, size_t vl)
{
    const int32_t *panel = job->rhs;
    const struct sl_requant_out out = {(int8_t)job->zero, (int8_t)(job->min + job->zero),
                                       (int8_t)(job->max + job->zero)};
    for (size_t first = 0; first < job->n; first += 2 * vl) {
        size_t width = job->n - first > vl ? 2 * vl : vl;
        const float *scale = (const float *)(panel + width);
        for (size_t i = 0; i < job->m; i++)
            for (size_t j = 0; j < width && first + j < job->n; j++) {
                const int8_t *a =
                    (const int8_t *)job->lhs + 4 * (i / vl * job->steps * vl + i % vl);
                const int8_t *b = (const int8_t *)(panel + 2 * width + j);
                int32_t sum = dot(a, b, job->steps, 4 * vl, 4 * width);
                job->dst[i * job->dst_stride + first + j] =
                    sl_requant(sl_wrapping_mla(panel[j], sum, 1), scale[j], out);
            }
        panel += width * (job->steps + 2);
    }
}

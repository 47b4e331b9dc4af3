/* host/report/kernel_rate.c: what a row of the kernel bench does in its time, beside what the
 * device does at most. */
#include <string.h>

#include "host/analysis/reach.h"
#include "host/report/kernel_bench.h"

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static bool is_pack(const struct sl_kernel_row *row)
{
    return strstr(row->stage, "pack") != NULL;
}

uint64_t sl_kernel_multiply_adds(const struct sl_kernel_row *row)
{
    return sl_kernel_multiplies(row) && !is_pack(row) ? row->m * row->n * row->k : 0;
}

bool sl_kernel_multiplies(const struct sl_kernel_row *row)
{
    return strncmp(row->family, "matmul", 6) == 0 || strncmp(row->family, "batch", 5) == 0 ||
           is(row->family, "conv") || is(row->family, "deconv") || is(row->family, "depthwise");
}

uint64_t sl_kernel_elements(const struct sl_kernel_row *row)
{
    if (is(row->stage, "lhs_pack"))
        return row->m * row->k;
    if (is_pack(row))
        return row->n * row->k;
    return row->outputs > 0 ? row->outputs
                            : row->m * row->n * (is(row->family, "reduce") ? row->k : 1);
}

static uint64_t element_bytes(const struct sl_kernel_row *row)
{
    return is(row->type, "qs8") ? 1 : is(row->type, "f16") || is(row->type, "bf16") ? 2 : 4;
}

/* Operands once and results once. */
uint64_t sl_kernel_bytes(const struct sl_kernel_row *row)
{
    uint64_t elements = row->m * row->n, size = element_bytes(row);
    if (is_pack(row) || is(row->family, "convert")) /* these differ in what they read and write */
        return 0;
    if (is(row->family, "unary") || is(row->family, "transpose"))
        return 2 * elements * size;
    if (is(row->family, "binary"))
        return 3 * elements * size;
    if (is(row->family, "reduce")) /* means and largest ones write less than it reads */
        return (strstr(row->kernel, "_mean_") || strstr(row->kernel, "_max_") ? row->k + 1
                                                                              : 2 * row->k) *
               elements * size;
    return 0;
}

static double macs_at_most(const struct sl_kernel_row *row, const struct sl_reach_roof *roof)
{
    bool int8 = is(row->type, "qs8") || strncmp(row->family, "matmul_q", 8) == 0 ||
                is(row->family, "batch_qd8");
    return int8                    ? roof->macs_s8
           : is(row->type, "f16")  ? roof->macs_f16
           : is(row->type, "bf16") ? roof->macs_bf16
                                   : roof->macs_f32;
}

double sl_kernel_share_of_peak(const struct sl_kernel_row *row, const struct sl_reach_roof *roof)
{
    uint64_t macs = sl_kernel_multiply_adds(row);
    double done = (double)(macs > 0 ? macs : sl_kernel_bytes(row));
    double most = !roof ? 0 : macs > 0 ? macs_at_most(row, roof) : roof->bytes;
    return row->counted || row->ns == 0 || most <= 0 ? 0 : done / (double)row->ns * 1e9 / most;
}

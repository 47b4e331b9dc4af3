/* host/report/kernel_bench.c */
#include "host/report/kernel_bench.h"

#include <string.h>

#include "host/analysis/reach.h"

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static bool has(const struct sl_kernel_row *row, const char *part)
{
    return strstr(row->kernel, part) != NULL;
}

static bool is_pack(const struct sl_kernel_row *row)
{
    return strstr(row->stage, "pack") != NULL;
}

/* Rows are quantised on the way in; whatever goes in and comes out, products are of int8. */
static bool is_dynamic_int8(const struct sl_kernel_row *row)
{
    return strncmp(row->family, "matmul_q", 8) == 0 || is(row->family, "batch_qd8");
}

static bool is_int8(const struct sl_kernel_row *row)
{
    return is_dynamic_int8(row) || is(row->type, "qs8");
}

static bool is_half(const struct sl_kernel_row *row)
{
    return !is_dynamic_int8(row) && (is(row->type, "f16") || is(row->type, "bf16"));
}

const char *sl_kernel_engine(const struct sl_kernel_row *row)
{
    return has(row, "_sme2") ? "sme2" : has(row, "_neon") ? "neon" : "portable";
}

bool sl_kernel_multiplies(const struct sl_kernel_row *row)
{
    return strncmp(row->family, "matmul", 6) == 0 || strncmp(row->family, "batch", 5) == 0 ||
           is(row->family, "conv") || is(row->family, "deconv") || is(row->family, "depthwise");
}

/* Rows, columns and elements of k that an instruction multiplies. */
struct step {
    uint64_t m, n, k;
};

static struct step sme2_step(const struct sl_kernel_row *row, uint64_t lanes)
{
    uint64_t depth = is_int8(row) ? 4 : is_half(row) ? 2 : 1;
    return has(row, "_mopa") ? (struct step){lanes, lanes, depth}
                             : (struct step){1, 4 * lanes, depth};
}

/* SMMLA and BFMMLA multiply two rows by two columns, SDOT and BFDOT four columns; else vectors are
 * of what the sums are, 4 words or 8 halves. */
static struct step neon_step(const struct sl_kernel_row *row)
{
    if (is_int8(row) && has(row, "_i8mm"))
        return (struct step){2, 2, 8};
    if (is_dynamic_int8(row) || (is_int8(row) && has(row, "_dot")))
        return (struct step){1, 4, 4};
    if (is_half(row) && has(row, "_mmla"))
        return (struct step){2, 2, 4};
    if (is_half(row) && has(row, "_dot"))
        return (struct step){1, 4, 2};
    return (struct step){1, is_half(row) && is(row->type, "f16") ? 8 : 4, 1};
}

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

uint64_t sl_kernel_min_mac(const struct sl_kernel_row *row, unsigned svl)
{
    bool sme2 = has(row, "_sme2") && svl >= 32, depthwise = is(row->family, "depthwise");
    if (!sl_kernel_multiplies(row) || is_pack(row) || (depthwise && is(row->type, "qs8")))
        return 0;
    if (sme2 && depthwise)
        return ceil_div(row->m * ceil_div(row->n, svl / (is_half(row) ? 16 : 32)) * row->k, 4);
    struct step step = sme2 ? sme2_step(row, svl / 32) : neon_step(row);
    return ceil_div(row->m, step.m) * ceil_div(row->n, step.n) * ceil_div(row->k, step.k);
}

uint64_t sl_kernel_multiply_adds(const struct sl_kernel_row *row)
{
    return sl_kernel_multiplies(row) && !is_pack(row) ? row->m * row->n * row->k : 0;
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
    return is_int8(row)            ? roof->macs_s8
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

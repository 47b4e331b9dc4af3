/* host/report/kernel_bench.c */
#include "host/report/kernel_bench.h"

#include <math.h>
#include <string.h>

#include "host/report/kernel_anchors.h"

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static bool has(const struct sl_kernel_row *row, const char *part)
{
    return strstr(row->kernel, part) != NULL;
}

static bool is_pack(const struct sl_kernel_row *row)
{
    return strstr(row->stage, "pack") != NULL;
}

const char *sl_kernel_engine(const struct sl_kernel_row *row)
{
    return has(row, "_sme2") ? "sme2" : has(row, "_neon") ? "neon" : "portable";
}

/* Outer products and four-vector instructions with SME2, vectors of four floats otherwise. */
uint64_t sl_kernel_min_mac(const struct sl_kernel_row *row, unsigned svl)
{
    uint64_t lanes = svl / 32;
    bool depthwise = strcmp(row->family, "depthwise") == 0;
    if (is_pack(row))
        return 0;
    if (!has(row, "_sme2") || lanes == 0)
        return row->m * ceil_div(row->n, 4) * row->k;
    if (depthwise)
        return ceil_div(row->m * ceil_div(row->n, lanes) * row->k, 4);
    if (has(row, "_mopa"))
        return ceil_div(row->m, lanes) * ceil_div(row->n, lanes) * row->k;
    return row->m * ceil_div(row->n, 4 * lanes) * row->k;
}

const struct sl_kernel_anchor *sl_kernel_anchor(const struct sl_kernel_row *row, unsigned svl)
{
    for (size_t i = 0; i < sl_kernel_anchor_count; i++) {
        const struct sl_kernel_anchor *a = &sl_kernel_anchors[i];
        if (a->m == row->m && a->n == row->n && a->k == row->k && (a->svl == 0 || a->svl == svl) &&
            strcmp(a->family, row->family) == 0 && strcmp(a->stage, row->stage) == 0 &&
            strcmp(a->engine, sl_kernel_engine(row)) == 0)
            return a;
    }
    return NULL;
}

/* The first milestone: 1.6 instructions an outer product, rounded up to whole blocks of two by two
 * vectors, 225 a block and 130; packs 0.72 an element of whole vectors of rows and 150. A product
 * of one row has a goal where it is large enough for the loop to be what counts. */
static double mopa_goal(const struct sl_kernel_row *row, unsigned svl)
{
    uint64_t block = 2 * (svl / 32);
    uint64_t blocks = ceil_div(row->m, block) * ceil_div(row->n, block);
    return 1.6 * (double)(4 * blocks * row->k) + 225.0 * (double)blocks + 130.0;
}

static double product_goal(const struct sl_kernel_row *row, unsigned svl)
{
    bool sme2 = has(row, "_sme2");
    bool kernel = strcmp(row->stage, "kernel") == 0;
    if (sme2 && svl == 512 && strcmp(row->stage, "lhs_pack") == 0)
        return 0.72 * (double)(ceil_div(row->m, svl / 32) * (svl / 32) * row->k) + 150.0;
    if (sme2 && svl == 512 && kernel && has(row, "_mopa"))
        return mopa_goal(row, svl);
    if (sme2 && kernel && row->m == 1 && row->n >= svl / 8 && row->k >= 128 && svl == 512)
        return 2.7 * (double)sl_kernel_min_mac(row, svl);
    if (has(row, "_neon") && kernel && row->m >= 49 && row->k >= 128)
        return 1.25 * (double)sl_kernel_min_mac(row, svl);
    return 0;
}

uint64_t sl_kernel_goal(const struct sl_kernel_row *row, unsigned svl)
{
    double outputs = (double)(row->m * row->n);
    if (strcmp(row->family, "matmul") == 0)
        return (uint64_t)product_goal(row, svl);
    if (strcmp(row->family, "depthwise") != 0 || strcmp(row->stage, "whole") != 0 || row->k != 9)
        return 0;
    if (has(row, "_sme2") && svl == 512)
        return (uint64_t)((row->m >= 784 ? 0.65 : 0.83) * outputs);
    return has(row, "_neon") ? (uint64_t)(6.5 * outputs) : 0;
}

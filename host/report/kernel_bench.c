/* host/report/kernel_bench.c */
#include "host/report/kernel_bench.h"

#include <math.h>
#include <string.h>

#include "host/report/kernel_anchors.h"
#include "host/report/kernel_f16.h"
#include "host/report/kernel_qs8.h"

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

/* SMOPA, four-vector SDOT, SMMLA, or SDOT and what does the same. */
static uint64_t int8_min_mac(const struct sl_kernel_row *row, uint64_t lanes)
{
    uint64_t words = ceil_div(row->k, 4);
    if (!has(row, "_sme2") || lanes == 0)
        return has(row, "_i8mm") ? ceil_div(row->m, 2) * ceil_div(row->n, 2) * ceil_div(row->k, 8)
                                 : row->m * ceil_div(row->n, 4) * words;
    if (has(row, "_mopa"))
        return ceil_div(row->m, lanes) * ceil_div(row->n, lanes) * words;
    return row->m * ceil_div(row->n, 4 * lanes) * words;
}

/* Outer products and four-vector instructions with SME2, vectors of four floats otherwise. */
uint64_t sl_kernel_min_mac(const struct sl_kernel_row *row, unsigned svl)
{
    uint64_t lanes = svl / 32;
    bool depthwise = strcmp(row->family, "depthwise") == 0;
    bool int8 = strncmp(row->family, "matmul_q", 8) == 0 || strcmp(row->family, "batch_qd8") == 0;
    if (!sl_kernel_multiplies(row) || is_pack(row))
        return 0;
    if (int8) /* four k an instruction, whatever goes in and comes out */
        return int8_min_mac(row, lanes);
    if (strcmp(row->type, "qs8") == 0)
        return sl_kernel_qs8_min_mac(row, svl);
    if (strcmp(row->type, "f16") == 0 || strcmp(row->type, "bf16") == 0)
        return sl_kernel_f16_min_mac(row, svl);
    if (!has(row, "_sme2") || lanes == 0)
        return row->m * ceil_div(row->n, 4) * row->k;
    if (depthwise)
        return ceil_div(row->m * ceil_div(row->n, lanes) * row->k, 4);
    if (has(row, "_mopa"))
        return ceil_div(row->m, lanes) * ceil_div(row->n, lanes) * row->k;
    return row->m * ceil_div(row->n, 4 * lanes) * row->k;
}

static bool counts_the_same(const struct sl_kernel_anchor *a, const struct sl_kernel_row *row,
                            unsigned svl)
{
    return a->m == row->m && a->n == row->n && a->k == row->k && (a->svl == 0 || a->svl == svl) &&
           strcmp(a->family, row->family) == 0 && strcmp(a->stage, row->stage) == 0 &&
           strcmp(a->engine, sl_kernel_engine(row)) == 0;
}

bool sl_kernel_is_plain(const struct sl_kernel_row *row)
{
    return !strstr(row->shape, "-d") && !strstr(row->shape, "-g") && !strstr(row->shape, "-m");
}

/* Outer products with one row of floats: on their panels a whole product takes another way. */
static bool is_one_of_many(const struct sl_kernel_row *row)
{
    return row->m == 1 && strcmp(row->family, "matmul") == 0 && strcmp(row->stage, "kernel") == 0 &&
           has(row, "_mopa");
}

const struct sl_kernel_anchor *sl_kernel_anchor(const struct sl_kernel_row *row, unsigned svl)
{
    if (!sl_kernel_is_plain(row) || is_one_of_many(row))
        return NULL;
    if (strcmp(row->type, "qs8") == 0)
        return sl_kernel_qs8_anchor(row, svl);
    if (strcmp(row->type, "f16") == 0 || strcmp(row->type, "bf16") == 0)
        return sl_kernel_f16_anchor(row, svl);
    for (size_t i = 0; i < sl_kernel_anchor_count; i++)
        if (counts_the_same(&sl_kernel_anchors[i], row, svl))
            return &sl_kernel_anchors[i];
    for (size_t i = 0; i < sl_kernel_op_anchor_count; i++)
        if (counts_the_same(&sl_kernel_op_anchors[i].anchor, row, svl) &&
            strstr(row->kernel, sl_kernel_op_anchors[i].part))
            return &sl_kernel_op_anchors[i].anchor;
    return NULL;
}

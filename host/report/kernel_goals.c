/* host/report/kernel_goals.c: instructions that a kernel should not exceed, kept as data: the best
 * of KleidiAI and XNNPACK, as kernel_anchors.c counts them, less what they leave to gain. */
#include <string.h>

#include "host/report/kernel_bench.h"
#include "host/report/kernel_f16.h"
#include "host/report/kernel_qs8.h"

/* For outputs, or for inputs where a reduction has fewer outputs. Counts hold at 512 bits. */
struct element_goal {
    const char *family, *engine;
    const char *part; /* of the kernel's name */
    double per_element;
};

static const struct element_goal element_goals[] = {
    {"binary", "sme2", "_add_", 0.14},      {"unary", "sme2", "_clamp_", 0.08},
    {"unary", "sme2", "_hardswish_", 0.22}, {"unary", "sme2", "_gelu_", 2.0},
    {"unary", "sme2", "_sigmoid_", 1.0},    {"unary", "sme2", "_exp_", 0.9},
    {"reduce", "sme2", "_softmax_", 1.2},   {"reduce", "sme2", "_norm_", 0.6},
    {"reduce", "sme2", "_mean_", 0.08},     {"reduce", "sme2", "_max_", 0.06},
    {"transpose", "sme2", "", 0.19},        {"binary", "neon", "_add_", 0.66},
    {"unary", "neon", "_gelu_", 8.0},       {"reduce", "neon", "_softmax_", 5.0},
    {"reduce", "neon", "_norm_", 2.5},      {"transpose", "neon", "", 1.2},
    {"convert", "sme2", "_f32_qs8_", 0.12}, {"convert", "sme2", "_qs8_f32_", 0.12},
};

/* A layer, everything included. */
struct layer_goal {
    const char *family;
    uint64_t m, n, k;
    uint64_t instructions;
};

static const struct layer_goal layer_goals[] = {
    {"conv", 784, 128, 576, 370000},
    {"conv", 196, 64, 576, 55000},
    {"conv", 12544, 32, 27, 870436}, /* a first layer: half of what it is anchored to */
};

static uint64_t round_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b * b;
}

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* Of a product with SME2. */
static bool has_goal(const struct sl_kernel_row *row, unsigned svl)
{
    return svl == 512 || (svl >= 128 && is(row->stage, "kernel") && strstr(row->kernel, "_mopa"));
}

double sl_kernel_block_share(unsigned svl)
{
    return svl > 512 ? (double)svl / 512 : 1;
}

/* 1.32 instructions an outer product, rounded up to whole blocks of two by two vectors, 140 a block
 * and 60; packs by the element of whole vectors of rows; of a single row on these panels 4.8 for
 * four vectors of columns. */
static double sme2_product_goal(const struct sl_kernel_row *row, unsigned svl)
{
    uint64_t vl = svl / 32;
    double blocks =
        (double)(round_up(row->m, 2 * vl) / (2 * vl) * (round_up(row->n, 2 * vl) / (2 * vl)));
    if (is(row->stage, "lhs_pack"))
        return 0.19 * (double)(round_up(row->m, vl) * row->k) + 150.0;
    if (is(row->stage, "rhs_pack") || is(row->stage, "rhs_pack_kn"))
        return 0.2 * (double)(round_up(row->n, vl) * row->k) + 200.0;
    if (is(row->stage, "whole") && row->m == 1 && strstr(row->kernel, "_mopa"))
        return 4.8 * (double)((row->n + 4 * vl - 1) / (4 * vl) * row->k) + 200.0;
    if (!is(row->stage, "kernel"))
        return 0;
    if (strstr(row->kernel, "_mopa"))
        return (1.32 * 4 * (double)row->k + 140.0 * sl_kernel_block_share(svl)) * blocks + 60.0;
    return row->m == 1 ? 2.7 * (double)sl_kernel_min_mac(row, svl) + 200.0 : 0;
}

static double product_goal(const struct sl_kernel_row *row, unsigned svl)
{
    if (is(sl_kernel_engine(row), "sme2"))
        return has_goal(row, svl) ? sme2_product_goal(row, svl) : 0;
    if (!is(sl_kernel_engine(row), "neon") || !is(row->stage, "kernel") || row->m < 49 ||
        row->k < 128)
        return 0;
    return (row->k >= 256 ? 1.22 : 1.25) * (double)sl_kernel_min_mac(row, svl);
}

/* Of dynamic int8: four k an outer product, rounded up to whole blocks. */
static double sme2_qd8_goal(const struct sl_kernel_row *row, unsigned svl)
{
    uint64_t vl = svl / 32;
    double blocks =
        (double)(round_up(row->m, 2 * vl) / (2 * vl) * (round_up(row->n, 2 * vl) / (2 * vl)));
    double products = blocks * (double)round_up(row->k, 4);
    if (is(row->stage, "lhs_pack"))
        return 0.6 * (double)(round_up(row->m, vl) * row->k) + 150.0;
    if (is(row->stage, "rhs_pack") && is(row->family, "matmul_qd8"))
        return 0.2 * (double)(round_up(row->n, vl) * row->k) + 200.0;
    if (!is(row->stage, "kernel"))
        return 0;
    if (strstr(row->kernel, "_mopa"))
        return is(row->family, "matmul_qd8")
                   ? 1.5 * products + 300.0 * sl_kernel_block_share(svl) * blocks
               : is(row->family, "matmul_q4")     ? 2.99 * products + 471.0 * blocks
               : is(row->family, "matmul_q4_g32") ? 15.15 / 2 * products
                                                  : 0; /* longer groups were not counted */
    return is(row->family, "matmul_qd8") ? 2.7 * (double)sl_kernel_min_mac(row, svl) + 200.0 : 0;
}

static double qd8_goal(const struct sl_kernel_row *row, unsigned svl)
{
    bool i8mm = strstr(row->kernel, "_i8mm") != NULL;
    if (is(sl_kernel_engine(row), "sme2"))
        return has_goal(row, svl) && (svl == 512 || is(row->family, "matmul_qd8"))
                   ? sme2_qd8_goal(row, svl)
                   : 0;
    if (!is(row->family, "matmul_qd8") || !is(row->stage, "kernel") || row->m < 49 ||
        row->k < 128 || (!i8mm && !strstr(row->kernel, "_dot")))
        return 0;
    return (row->k >= 256 ? (i8mm ? 1.75 : 1.36) : (i8mm ? 2.0 : 1.48)) *
           (double)sl_kernel_min_mac(row, svl);
}

/* In proportion to taps. */
static double depthwise_goal(const struct sl_kernel_row *row)
{
    double taps = (double)(row->m * row->n * row->k);
    if (is(sl_kernel_engine(row), "neon"))
        return 4.5 / 9 * taps;
    return (row->m >= 784 ? 0.60 : 0.75) / 9 * taps;
}

static double element_goal(const struct sl_kernel_row *row)
{
    const char *engine = sl_kernel_engine(row);
    double outputs = (double)(row->m * row->n);
    if (is(row->family, "pool")) /* of 2x2 */
        return strstr(row->kernel, "_max_") && row->k == 4
                   ? (is(engine, "sme2") ? 0.25 : 2.5) * outputs
                   : 0;
    for (size_t i = 0; i < sizeof(element_goals) / sizeof(element_goals[0]); i++) {
        const struct element_goal *g = &element_goals[i];
        if (is(g->family, row->family) && is(g->engine, engine) && strstr(row->kernel, g->part))
            return g->per_element * outputs * (double)row->k;
    }
    return 0;
}

uint64_t sl_kernel_goal(const struct sl_kernel_row *row, unsigned svl)
{
    if (!sl_kernel_is_plain(row))
        return 0;
    if (is(row->type, "qs8"))
        return sl_kernel_qs8_goal(row, svl);
    if (is(row->type, "f16") || is(row->type, "bf16"))
        return sl_kernel_f16_goal(row, svl);
    const char *engine = sl_kernel_engine(row);
    if (is(row->family, "matmul"))
        return (uint64_t)product_goal(row, svl);
    if (strncmp(row->family, "matmul_q", 8) == 0)
        return (uint64_t)qd8_goal(row, svl);
    if (is(engine, "portable") || (is(engine, "sme2") && svl != 512))
        return 0;
    if (!is(row->stage, "whole") && !(is(row->stage, "clamped") && is(engine, "sme2")))
        return 0;
    for (size_t i = 0; i < sizeof(layer_goals) / sizeof(layer_goals[0]); i++) {
        const struct layer_goal *g = &layer_goals[i];
        if (is(engine, "sme2") && is(g->family, row->family) && g->m == row->m && g->n == row->n &&
            g->k == row->k)
            return g->instructions;
    }
    if (is(row->family, "depthwise"))
        return (uint64_t)depthwise_goal(row);
    return is(row->family, "conv") ? 0 : (uint64_t)element_goal(row);
}

/* host/report/kernel_f16.c: goals and anchors of f16 and bf16, as data. The anchors' source is that
 * of kernel_anchors.c; of two kernels of one library the cheaper counts. */
#include "host/report/kernel_f16.h"

#include <string.h>

#define KAI_GEMM "KleidiAI f16_f16p4vsx2_f16p4vsx2bf16_8vsx8vs_sme2_mopa, or 2vlx2vl at 256 cubed"
#define KAI_GEMM_2VL "KleidiAI f16_f16p2vlx2_f16p2vlx2_2vlx2vl_sme2_mopa"
#define KAI_BF16 "KleidiAI f32_bf16p2vlx2_bf16p2vlx2_2vlx2vl_sme2_mopa"
#define KAI_MMLA "KleidiAI f32_bf16p8x4_bf16p12x4b_8x12_neon_mmla"
#define KAI_LHS "KleidiAI LHS x16p2vlx2"
#define KAI_RHS "KleidiAI RHS f16p2vlx2"
#define KAI_GEMV "KleidiAI f16p4vsx2bf16_1x32vs_sme2_dot"
#define KAI_CONV "KleidiAI SME2 f16 implicit GEMM with its gather and pack"
#define NEON_GEMM "XNNPACK f16 gemm 8x16 ld64, or KleidiAI 6x32"
#define XNN_GEMV "XNNPACK f16 gemm 1x16 ld64"
#define XNN_ADD "XNNPACK f16_vadd neonfp16arith_u16"
#define XNN_TRANSPOSE "XNNPACK x16_transposec 8x8_reuse_dec_zip_neon"

static const struct {
    const char *type;
    struct sl_kernel_anchor anchor;
} anchors[] = {
    {"f16", {"matmul", "sme2", "kernel", 512, 64, 64, 64, 1876, KAI_GEMM}},
    {"f16", {"matmul", "sme2", "kernel", 512, 128, 128, 128, 11112, KAI_GEMM}},
    {"f16", {"matmul", "sme2", "kernel", 512, 256, 256, 256, 73900, KAI_GEMM}},
    {"f16", {"matmul", "sme2", "kernel", 512, 196, 512, 256, 122742, KAI_GEMM}},
    {"f16", {"matmul", "sme2", "kernel", 512, 784, 128, 64, 43236, KAI_GEMM}},
    {"f16", {"matmul", "sme2", "kernel", 512, 49, 960, 160, 46864, KAI_GEMM}},
    {"bf16", {"matmul", "sme2", "kernel", 512, 64, 64, 64, 1471, KAI_BF16}},
    {"bf16", {"matmul", "sme2", "kernel", 512, 128, 128, 128, 8791, KAI_BF16}},
    {"bf16", {"matmul", "sme2", "kernel", 512, 256, 256, 256, 59551, KAI_BF16}},
    {"bf16", {"matmul", "sme2", "kernel", 512, 196, 512, 256, 102345, KAI_BF16}},
    {"bf16", {"matmul", "sme2", "kernel", 512, 784, 128, 64, 35229, KAI_BF16}},
    {"bf16", {"matmul", "sme2", "kernel", 512, 49, 960, 160, 36959, KAI_BF16}},
    {"f16", {"matmul", "sme2", "lhs_pack", 512, 64, 64, 64, 1550, KAI_LHS}},
    {"f16", {"matmul", "sme2", "lhs_pack", 512, 128, 128, 128, 4840, KAI_LHS}},
    {"f16", {"matmul", "sme2", "lhs_pack", 512, 256, 256, 256, 16744, KAI_LHS}},
    {"f16", {"matmul", "sme2", "lhs_pack", 512, 196, 512, 256, 14544, KAI_LHS}},
    {"f16", {"matmul", "sme2", "lhs_pack", 512, 784, 128, 64, 18851, KAI_LHS}},
    {"f16", {"matmul", "sme2", "lhs_pack", 512, 49, 960, 160, 2706, KAI_LHS}},
    {"f16", {"matmul", "sme2", "rhs_pack", 512, 64, 64, 64, 808, KAI_RHS}},
    {"f16", {"matmul", "sme2", "rhs_pack", 512, 128, 128, 128, 2720, KAI_RHS}},
    {"f16", {"matmul", "sme2", "rhs_pack", 512, 256, 256, 256, 10096, KAI_RHS}},
    {"f16", {"matmul", "sme2", "rhs_pack", 512, 196, 512, 256, 19632, KAI_RHS}},
    {"f16", {"matmul", "sme2", "rhs_pack", 512, 784, 128, 64, 1416, KAI_RHS}},
    {"f16", {"matmul", "sme2", "rhs_pack", 512, 49, 960, 160, 22820, KAI_RHS}},
    {"f16", {"matmul", "sme2", "kernel", 512, 1, 1024, 1024, 39805, KAI_GEMV}},
    {"f16", {"matmul", "sme2", "kernel", 256, 128, 128, 128, 38060, KAI_GEMM_2VL}},
    {"f16", {"matmul", "sme2", "kernel", 128, 128, 128, 128, 129436, KAI_GEMM_2VL}},
    {"bf16", {"matmul", "sme2", "kernel", 256, 128, 128, 128, 31135, KAI_BF16}},
    {"bf16", {"matmul", "sme2", "kernel", 128, 128, 128, 128, 116623, KAI_BF16}},
    {"f16", {"matmul", "neon", "kernel", 0, 64, 64, 64, 44864, NEON_GEMM}},
    {"f16", {"matmul", "neon", "kernel", 0, 128, 128, 128, 344384, NEON_GEMM}},
    {"f16", {"matmul", "neon", "kernel", 0, 256, 256, 256, 2702720, NEON_GEMM}},
    {"f16", {"matmul", "neon", "kernel", 0, 196, 512, 256, 4193940, NEON_GEMM}},
    {"f16", {"matmul", "neon", "kernel", 0, 784, 128, 64, 1093288, NEON_GEMM}},
    {"f16", {"matmul", "neon", "kernel", 0, 49, 960, 160, 1258249, NEON_GEMM}},
    {"f16", {"matmul", "neon", "kernel", 0, 1, 1024, 1024, 329412, XNN_GEMV}},
    {"bf16", {"matmul", "neon", "kernel", 0, 64, 64, 64, 37237, KAI_MMLA}},
    {"bf16", {"matmul", "neon", "kernel", 0, 128, 128, 128, 246461, KAI_MMLA}},
    {"bf16", {"matmul", "neon", "kernel", 0, 256, 256, 256, 1864061, KAI_MMLA}},
    {"bf16", {"matmul", "neon", "kernel", 0, 196, 512, 256, 2846689, KAI_MMLA}},
    {"bf16", {"matmul", "neon", "kernel", 0, 784, 128, 64, 836753, KAI_MMLA}},
    {"bf16", {"matmul", "neon", "kernel", 0, 49, 960, 160, 958871, KAI_MMLA}},
    {"f16", {"conv", "sme2", "whole", 512, 784, 128, 576, 407306, KAI_CONV}},
    {"f16", {"conv", "sme2", "whole", 512, 196, 64, 576, 82432, KAI_CONV}},
    {"f16", {"conv", "sme2", "rhs_pack", 512, 784, 128, 576, 11904, KAI_RHS}},
    {"f16", {"conv", "sme2", "rhs_pack", 512, 196, 64, 576, 6560, KAI_RHS}},
    {"f16", {"binary", "neon", "whole", 0, 1, 65536, 1, 32774, XNN_ADD}},
    {"f16", {"transpose", "neon", "whole", 0, 256, 256, 1, 71179, XNN_TRANSPOSE}},
};

/* For outputs, or for inputs where a reduction has fewer outputs; half of what f32 is allowed. */
static const struct {
    const char *family, *engine, *part;
    double per_element;
} element_goals[] = {
    {"binary", "sme2", "_add_", 0.07},      {"unary", "sme2", "_clamp_", 0.04},
    {"unary", "sme2", "_hardswish_", 0.11}, {"unary", "sme2", "_gelu_", 1.0},
    {"unary", "sme2", "_sigmoid_", 0.5},    {"unary", "sme2", "_exp_", 0.45},
    {"reduce", "sme2", "_softmax_", 0.6},   {"reduce", "sme2", "_norm_", 0.3},
    {"reduce", "sme2", "_mean_", 0.04},     {"reduce", "sme2", "_max_", 0.03},
    {"transpose", "sme2", "", 0.095},       {"binary", "neon", "_add_", 0.33},
    {"transpose", "neon", "", 0.6},         {"reduce", "neon", "_softmax_", 2.5},
    {"reduce", "neon", "_norm_", 1.25},
};

static bool same(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static uint64_t blocks_of(uint64_t count, uint64_t block)
{
    return (count + block - 1) / block;
}

const struct sl_kernel_anchor *sl_kernel_f16_anchor(const struct sl_kernel_row *row, unsigned svl)
{
    const char *engine = sl_kernel_engine(row);
    for (size_t i = 0; i < sizeof(anchors) / sizeof(anchors[0]); i++) {
        const struct sl_kernel_anchor *a = &anchors[i].anchor;
        bool shape = a->m == row->m && a->n == row->n && a->k == row->k;
        bool stage = same(a->family, row->family) && same(a->stage, row->stage);
        bool serves = strcmp(a->kernel, KAI_MMLA) != 0 || strstr(row->kernel, "_mmla");
        if (shape && stage && serves && same(anchors[i].type, row->type) &&
            same(a->engine, engine) && (a->svl == svl || a->svl == 0))
            return a;
    }
    return NULL;
}

/* NEON's own: 2x2 sums of four k by BFMMLA, four sums of two k by BFDOT, or vectors of what the
 * sums are, 4 floats or 8 halves. */
static uint64_t neon_min_mac(const struct sl_kernel_row *row)
{
    if (strstr(row->kernel, "_mmla"))
        return blocks_of(row->m, 2) * blocks_of(row->n, 2) * blocks_of(row->k, 4);
    if (strstr(row->kernel, "_dot"))
        return row->m * blocks_of(row->n, 4) * blocks_of(row->k, 2);
    return row->m * blocks_of(row->n, same(row->type, "bf16") ? 4 : 8) * row->k;
}

/* Two k an outer product or four-vector instruction of SME2. */
uint64_t sl_kernel_f16_min_mac(const struct sl_kernel_row *row, unsigned svl)
{
    uint64_t lanes = svl / 32, pairs = (row->k + 1) / 2;
    bool depthwise = same(row->family, "depthwise");
    if (!sl_kernel_multiplies(row) || strstr(row->stage, "pack"))
        return 0;
    if (!strstr(row->kernel, "_sme2") || lanes == 0)
        return neon_min_mac(row);
    if (depthwise)
        return blocks_of(row->m * blocks_of(row->n, 2 * lanes) * row->k, 4);
    if (strstr(row->kernel, "_mopa"))
        return blocks_of(row->m, lanes) * blocks_of(row->n, lanes) * pairs;
    return row->m * blocks_of(row->n, 4 * lanes) * pairs;
}

/* 1.32 instructions an outer product of whole blocks of two by two vectors, 180 a block (bf16,
 * whose results are not narrowed: 140) and 60; packs by the element of whole vectors of rows. */
static double sme2_product(const struct sl_kernel_row *row, unsigned svl)
{
    uint64_t vl = svl / 32;
    double blocks = (double)(blocks_of(row->m, 2 * vl) * blocks_of(row->n, 2 * vl));
    if (same(row->stage, "lhs_pack"))
        return 0.10 * (double)(blocks_of(row->m, vl) * vl * row->k) + 150.0;
    if (same(row->stage, "rhs_pack") || same(row->stage, "rhs_pack_kn"))
        return 0.15 * (double)(blocks_of(row->n, vl) * vl * row->k) + 200.0;
    if (same(row->stage, "whole") && row->m == 1 && strstr(row->kernel, "_mopa"))
        return 4.8 * (double)(blocks_of(row->n, 4 * vl) * ((row->k + 1) / 2)) + 200.0;
    if (!same(row->stage, "kernel"))
        return 0;
    double per_block = same(row->type, "bf16") ? 140.0 : 180.0;
    if (strstr(row->kernel, "_mopa"))
        return (1.32 * 4 * (double)((row->k + 1) / 2) + per_block * sl_kernel_block_share(svl)) *
                   blocks +
               60.0;
    return 2.7 * (double)sl_kernel_f16_min_mac(row, svl) + 200.0;
}

/* 1.25 instructions a BFMMLA, as of f32's FMLA, of whole blocks of 8x12, and 110 to begin and store
 * each; none for what widens in base NEON. */
static double neon_bf16_product(const struct sl_kernel_row *row)
{
    double blocks = (double)(blocks_of(row->m, 8) * blocks_of(row->n, 12));
    if (!strstr(row->kernel, "_mmla") || !same(row->stage, "kernel") || row->m < 8)
        return 0;
    return (1.25 * 24 * (double)blocks_of(row->k, 4) + 110) * blocks;
}

static double product_goal(const struct sl_kernel_row *row, unsigned svl)
{
    const char *engine = sl_kernel_engine(row);
    if (same(engine, "sme2"))
        return svl == 512 || (same(row->stage, "kernel") && strstr(row->kernel, "_mopa"))
                   ? sme2_product(row, svl)
                   : 0;
    if (same(row->type, "bf16"))
        return neon_bf16_product(row);
    if (!same(engine, "neon") || !same(row->stage, "kernel") || row->m < 49 || row->k < 128)
        return 0;
    return (row->k >= 256 ? 1.29 : 1.31) * (double)sl_kernel_f16_min_mac(row, svl);
}

static double element_goal(const struct sl_kernel_row *row, const char *engine)
{
    double outputs = (double)(row->m * row->n);
    if (same(row->family, "pool")) /* of 2x2 */
        return strstr(row->kernel, "_max_") && row->k == 4
                   ? (same(engine, "sme2") ? 0.125 : 1.25) * outputs
                   : 0;
    for (size_t i = 0; i < sizeof(element_goals) / sizeof(element_goals[0]); i++)
        if (same(element_goals[i].family, row->family) && same(element_goals[i].engine, engine) &&
            strstr(row->kernel, element_goals[i].part))
            return element_goals[i].per_element * outputs * (double)row->k;
    return 0;
}

uint64_t sl_kernel_f16_goal(const struct sl_kernel_row *row, unsigned svl)
{
    const char *engine = sl_kernel_engine(row);
    bool sme2 = same(engine, "sme2");
    if (same(row->family, "matmul"))
        return (uint64_t)product_goal(row, svl);
    if (same(engine, "portable") || (sme2 && svl != 512) ||
        (!same(row->stage, "whole") && !(sme2 && same(row->stage, "clamped"))))
        return 0;
    if (same(row->family, "conv")) {
        bool large = row->m == 784 && row->n == 128, small = row->m == 196 && row->n == 64;
        return !sme2 || row->k != 576 ? 0 : large ? 200000 : small ? 30000 : 0;
    }
    double taps = (double)(row->m * row->n * row->k);
    if (same(row->family, "depthwise"))
        return (uint64_t)((sme2 ? (row->m >= 784 ? 0.30 : 0.375) : 2.25) / 9 * taps);
    return (uint64_t)element_goal(row, engine);
}

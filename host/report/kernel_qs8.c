/* host/report/kernel_qs8.c: goals and anchors of static int8, as data. The anchors' source is that
 * of kernel_anchors.c. */
#include "host/report/kernel_qs8.h"

#include <string.h>

#define KAI_GEMM "KleidiAI qai8_qai8p2vlx4_qsi8cxpsb2vlx4_2vlx2vl_sme2_mopa"
#define KAI_LHS "KleidiAI LHS x8p2vlx4"
#define KAI_RHS "KleidiAI RHS qsi8cxp2vlx4sb"
#define KAI_GEMV "KleidiAI qai8_qai8_qsi8cxp4vsx4_1x32vs_sme2_dot"
#define KAI_CONV "KleidiAI SME2 int8 implicit GEMM with its gather and pack"
#define XNN_I8MM "XNNPACK qs8_qc8w gemm 4x16c8 i8mm"
#define XNN_DOT "XNNPACK qs8_qc8w gemm 4x16c4 dot asm"
#define XNN_CONV "XNNPACK qs8_qc8w igemm 4x16c8 i8mm"
#define XNN_ADD "XNNPACK qs8_vadd neon_ld64_u32: 2.4385 an element, counted over MobileNet v2"
#define XNN_TRANSPOSE "XNNPACK x8_transposec 16x16_reuse_dec_zip_neon"
#define XNN_GEMV "XNNPACK qs8_qc8w gemm 1x16c8 i8mm"
#define XNN_GEMV_DOT "XNNPACK qs8_qc8w gemm 1x16c4 dot ld64"

/* `part` is of our kernel's name. */
static const struct {
    struct sl_kernel_anchor anchor;
    const char *part;
} anchors[] = {
    {{"matmul", "sme2", "kernel", 512, 64, 64, 64, 1739, KAI_GEMM}, "_mopa"},
    {{"matmul", "sme2", "kernel", 512, 128, 128, 128, 8315, KAI_GEMM}, "_mopa"},
    {{"matmul", "sme2", "kernel", 512, 256, 256, 256, 45347, KAI_GEMM}, "_mopa"},
    {{"matmul", "sme2", "kernel", 512, 196, 512, 256, 75245, KAI_GEMM}, "_mopa"},
    {{"matmul", "sme2", "kernel", 512, 784, 128, 64, 41513, KAI_GEMM}, "_mopa"},
    {{"matmul", "sme2", "kernel", 512, 49, 960, 160, 30393, KAI_GEMM}, "_mopa"},
    {{"matmul", "sme2", "kernel", 256, 128, 128, 128, 24099, KAI_GEMM}, "_mopa"},
    {{"matmul", "sme2", "kernel", 128, 128, 128, 128, 78227, KAI_GEMM}, "_mopa"},
    {{"matmul", "sme2", "kernel", 512, 1, 1024, 1024, 20590, KAI_GEMV}, "_dot"},
    {{"matmul", "sme2", "lhs_pack", 512, 64, 64, 64, 989, KAI_LHS}, "_mopa"},
    {{"matmul", "sme2", "lhs_pack", 512, 128, 128, 128, 3063, KAI_LHS}, "_mopa"},
    {{"matmul", "sme2", "lhs_pack", 512, 256, 256, 256, 9647, KAI_LHS}, "_mopa"},
    {{"matmul", "sme2", "lhs_pack", 512, 196, 512, 256, 8334, KAI_LHS}, "_mopa"},
    {{"matmul", "sme2", "lhs_pack", 512, 784, 128, 64, 11850, KAI_LHS}, "_mopa"},
    {{"matmul", "sme2", "lhs_pack", 512, 49, 960, 160, 1691, KAI_LHS}, "_mopa"},
    {{"matmul", "sme2", "rhs_pack", 512, 64, 64, 64, 1044, KAI_RHS}, "_mopa"},
    {{"matmul", "sme2", "rhs_pack", 512, 128, 128, 128, 3488, KAI_RHS}, "_mopa"},
    {{"matmul", "sme2", "rhs_pack", 512, 256, 256, 256, 12888, KAI_RHS}, "_mopa"},
    {{"matmul", "sme2", "rhs_pack", 512, 196, 512, 256, 25192, KAI_RHS}, "_mopa"},
    {{"matmul", "sme2", "rhs_pack", 512, 784, 128, 64, 1864, KAI_RHS}, "_mopa"},
    {{"matmul", "sme2", "rhs_pack", 512, 49, 960, 160, 29624, KAI_RHS}, "_mopa"},
    {{"conv", "sme2", "whole", 512, 784, 128, 576, 251811, KAI_CONV}, "_mopa"},
    {{"conv", "sme2", "whole", 512, 196, 64, 576, 51929, KAI_CONV}, "_mopa"},
    {{"conv", "sme2", "rhs_pack", 512, 784, 128, 576, 14911, KAI_RHS}, "_mopa"},
    {{"conv", "sme2", "rhs_pack", 512, 196, 64, 576, 8075, KAI_RHS}, "_mopa"},
    {{"matmul", "neon", "kernel", 0, 64, 64, 64, 22944, XNN_I8MM}, "_i8mm"},
    {{"matmul", "neon", "kernel", 0, 128, 128, 128, 139840, XNN_I8MM}, "_i8mm"},
    {{"matmul", "neon", "kernel", 0, 256, 256, 256, 950400, XNN_I8MM}, "_i8mm"},
    {{"matmul", "neon", "kernel", 0, 196, 512, 256, 1453634, XNN_I8MM}, "_i8mm"},
    {{"matmul", "neon", "kernel", 0, 784, 128, 64, 555464, XNN_I8MM}, "_i8mm"},
    {{"matmul", "neon", "kernel", 0, 49, 960, 160, 498082, XNN_I8MM}, "_i8mm"},
    {{"matmul", "neon", "kernel", 0, 1, 1024, 1024, 122316, XNN_GEMV}, "_i8mm"},
    {{"matmul", "neon", "kernel", 0, 64, 64, 64, 28528, XNN_DOT}, "_dot"},
    {{"matmul", "neon", "kernel", 0, 128, 128, 128, 194400, XNN_DOT}, "_dot"},
    {{"matmul", "neon", "kernel", 0, 256, 256, 256, 1423552, XNN_DOT}, "_dot"},
    {{"matmul", "neon", "kernel", 0, 196, 512, 256, 2178883, XNN_DOT}, "_dot"},
    {{"matmul", "neon", "kernel", 0, 784, 128, 64, 695212, XNN_DOT}, "_dot"},
    {{"matmul", "neon", "kernel", 0, 49, 960, 160, 713947, XNN_DOT}, "_dot"},
    {{"matmul", "neon", "kernel", 0, 1, 1024, 1024, 166469, XNN_GEMV_DOT}, "_dot"},
    {{"conv", "neon", "whole", 0, 196, 64, 576, 413609, XNN_CONV}, "_i8mm"},
    {{"conv", "neon", "whole", 0, 784, 128, 576, 3303188, XNN_CONV}, "_i8mm"},
    {{"transpose", "neon", "whole", 0, 256, 256, 1, 39445, XNN_TRANSPOSE}, "_x8_"},
    {{"binary", "neon", "whole", 0, 1, 65536, 1, 159808, XNN_ADD}, "_add_"},
};

/* XNNPACK's 9p16c, an output, counted over MobileNet v2. */
static const double xnn_depthwise = 6.6;

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

const struct sl_kernel_anchor *sl_kernel_qs8_anchor(const struct sl_kernel_row *row, unsigned svl)
{
    for (size_t i = 0; i < sizeof(anchors) / sizeof(anchors[0]); i++) {
        const struct sl_kernel_anchor *a = &anchors[i].anchor;
        if (a->m == row->m && a->n == row->n && a->k == row->k && (a->svl == 0 || a->svl == svl) &&
            is(a->family, row->family) && is(a->stage, row->stage) &&
            is(a->engine, sl_kernel_engine(row)) && strstr(row->kernel, anchors[i].part))
            return a;
    }
    return NULL;
}

uint64_t sl_kernel_qs8_min_mac(const struct sl_kernel_row *row, unsigned svl)
{
    uint64_t lanes = svl / 32, words = ceil_div(row->k, 4);
    if (!sl_kernel_multiplies(row) || is(row->family, "depthwise") || strstr(row->stage, "pack"))
        return 0;
    if (strstr(row->kernel, "_mopa") && lanes > 0)
        return ceil_div(row->m, lanes) * ceil_div(row->n, lanes) * words;
    if (is(sl_kernel_engine(row), "sme2") && lanes > 0)
        return row->m * ceil_div(row->n, 4 * lanes) * words;
    if (strstr(row->kernel, "_i8mm"))
        return ceil_div(row->m, 2) * ceil_div(row->n, 2) * ceil_div(row->k, 8);
    return row->m * ceil_div(row->n, 4) * (strstr(row->kernel, "_dot") ? words : row->k);
}

/* 1.32 instructions an outer product, rounded up to whole blocks of two by two vectors, 300 a block
 * and 60; packs by the element of whole vectors of rows. */
static double sme2_product_goal(const struct sl_kernel_row *row, unsigned svl)
{
    uint64_t vl = svl / 32;
    double blocks = (double)(ceil_div(row->m, 2 * vl) * ceil_div(row->n, 2 * vl));
    if (is(row->stage, "lhs_pack"))
        return 0.06 * (double)(ceil_div(row->m, vl) * vl * row->k) + 150.0;
    if (is(row->stage, "rhs_pack"))
        return 0.2 * (double)(ceil_div(row->n, vl) * vl * row->k) + 200.0;
    if (is(row->stage, "whole") && row->m == 1 && strstr(row->kernel, "_mopa"))
        return 4.8 * (double)(ceil_div(row->n, 4 * vl) * ceil_div(row->k, 4)) + 200.0;
    if (!is(row->stage, "kernel"))
        return 0;
    if (strstr(row->kernel, "_mopa"))
        return (1.32 * 4 * (double)ceil_div(row->k, 4) + 300.0 * sl_kernel_block_share(svl)) *
                   blocks +
               60.0;
    return 2.7 * (double)sl_kernel_qs8_min_mac(row, svl) + 200.0;
}

static double product_goal(const struct sl_kernel_row *row, unsigned svl)
{
    const char *engine = sl_kernel_engine(row);
    if (is(engine, "sme2"))
        return svl == 512 || (is(row->stage, "kernel") && strstr(row->kernel, "_mopa"))
                   ? sme2_product_goal(row, svl)
                   : 0;
    if (!is(engine, "neon") || !is(row->stage, "kernel") || row->m < 49 || row->k < 128)
        return 0;
    double least = (double)sl_kernel_qs8_min_mac(row, svl);
    if (strstr(row->kernel, "_i8mm"))
        return (row->k >= 256 ? 1.75 : 2.0) * least;
    return strstr(row->kernel, "_dot") ? (row->k >= 256 ? 1.36 : 1.48) * least : 0;
}

uint64_t sl_kernel_qs8_goal(const struct sl_kernel_row *row, unsigned svl)
{
    const char *engine = sl_kernel_engine(row);
    bool sme2 = is(engine, "sme2");
    if (is(row->family, "matmul"))
        return (uint64_t)product_goal(row, svl);
    if (!is(row->stage, "whole") || is(engine, "portable") || (sme2 && svl != 512))
        return 0;
    double outputs = (double)(row->m * row->n);
    if (is(row->family, "depthwise"))
        return (uint64_t)((sme2 ? 0.8 : 0.8 * xnn_depthwise) / 9 * (double)row->k * outputs);
    if (!is(row->family, "conv") || !sme2 || row->k != 576)
        return 0;
    return row->m == 784 && row->n == 128 ? 125000 : row->m == 196 && row->n == 64 ? 19000 : 0;
}

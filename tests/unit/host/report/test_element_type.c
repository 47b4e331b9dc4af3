/* tests/unit/host/report/test_element_type.c */
#include "host/report/element_type.h"

#include <string.h>

#include "host/analysis/attribution.h"
#include "tests/support/unit.h"

static struct sl_operator op(const char *name, int category, int64_t total, const char *kernel)
{
    return (struct sl_operator){.name = name,
                                .name_len = (uint32_t)strlen(name),
                                .category = category,
                                .total = total,
                                .kernel = kernel};
}

TEST(types_are_those_that_products_spend_their_cost_on)
{
    struct sl_operator operators[] = {
        op("Convolution (NHWC, PQS8, QS8, QC8W) IGEMM", SL_CATEGORY_CONV, 60, NULL),
        op("native_call_bmm.out", SL_CATEGORY_GEMM, 30, "sl_matmul_f32_f32p16x1_5x16_neon_mla"),
        op("Fully Connected (NC, QP8, F32, QB4W) GEMM", SL_CATEGORY_GEMM, 7, NULL),
        op("Fully Connected (NC, F16) GEMM", SL_CATEGORY_GEMM, 3, NULL),
        op("Softmax (NC, F16)", SL_CATEGORY_OTHER, 900, NULL)};
    struct sl_attribution a = {.operators = operators, .operator_count = 5};
    char text[64];
    sl_element_types(&a, text, sizeof(text));
    assert_string_equal(text, "int8, f32, int4");
    a.operators = &operators[4];
    a.operator_count = 1;
    sl_element_types(&a, text, sizeof(text));
    assert_string_equal(text, "");
}

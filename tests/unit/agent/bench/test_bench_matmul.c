/* tests/unit/agent/bench/test_bench_matmul.c: products are benched in the type that their shape
 * names. */
#include "tests/support/bench_case.h"

TEST(products_are_of_the_type_of_their_shape)
{
    sl_case_bench("matmul:5x6x7", "sl_matmul_f32_f32", "rhs_pack");
    sl_case_bench("f16/matmul:5x6x7", "sl_matmul_f16_f16", "rhs_pack_kn");
    sl_case_bench("bf16/matmul:5x6x7", "sl_matmul_f32_bf16", "whole");
}

TEST(batches_too_with_either_order_of_the_right_operand)
{
    sl_case_bench("batch:3x5x6x7", "sl_matmul_f32_f32", "whole");
    sl_case_bench("f16/batch_nk:3x5x6x7", "sl_matmul_f16_f16", "whole");
}

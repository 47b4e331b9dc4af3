/* tests/unit/agent/bench/test_bench_elements.c: each family is benched in the type that its shape
 * names. */
#include "tests/support/bench_case.h"

TEST(a_shape_without_a_type_is_of_f32)
{
    sl_case_bench("unary:gelu-100", "sl_unary_gelu_f32_f32", "whole");
    sl_case_bench("binary:add-100", "sl_binary_add_f32_f32_f32", "whole");
    sl_case_bench("pool:max-6x6x3-2x2-s2-p0", "sl_pool_max_f32_f32", "whole");
    sl_case_bench("reduce:softmax-3x17x1", "sl_reduce_softmax_f32_f32", "whole");
    sl_case_bench("resize:4x5x3-8x9", "sl_resize_f32_f32", "whole");
}

TEST(a_shape_of_halves_takes_a_kernel_of_halves)
{
    sl_case_bench("f16/unary:gelu-100", "sl_unary_gelu_f16_f16", "whole");
    sl_case_bench("f16/binary:add-100", "sl_binary_add_f16_f16_f16", "whole");
    sl_case_bench("f16/pool:average-6x6x3-2x2-s2-p0", "sl_pool_average_f16_f16", "whole");
    sl_case_bench("f16/reduce:mean-3x17x5", "sl_reduce_mean_f16_f16", "whole");
    sl_case_bench("f16/resize:4x5x3-8x9", "sl_resize_f16_f16", "whole");
    sl_case_bench("qs8/resize:4x5x3-8x9", "sl_resize_qs8_qs8", "whole");
}

TEST(a_clamped_operation_is_a_stage_of_its_own)
{
    sl_case_bench("binary:add_clamped-100", "sl_binary_add_f32", "\"clamped\"");
    sl_case_bench("f16/binary:add_clamped-100", "sl_binary_add_f16", "\"clamped\"");
}

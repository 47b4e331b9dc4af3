/* tests/unit/agent/bench/test_bench_conv.c: convolutions are benched in the type that their shape
 * names, the packing of their weights too. */
#include "tests/support/bench_case.h"

TEST(convolutions_are_of_the_type_of_their_shape)
{
    sl_case_bench("conv:6x6x4-5-3x3-s1-p1", "sl_conv_f32", "rhs_pack");
    sl_case_bench("f16/conv:6x6x4-5-3x3-s1-p1", "sl_conv_f16", "rhs_pack");
    sl_case_bench("deconv:4x4x3-5-3x3-s2-p1", "sl_conv_f32", "whole");
    sl_case_bench("f16/deconv:4x4x3-5-3x3-s2-p1", "sl_conv_f16", "whole");
}

TEST(depthwise_ones_too_with_a_multiplier_or_without)
{
    sl_case_bench("depthwise:6x6x5-3x3-s1-p1", "sl_depthwise_f32", "whole");
    sl_case_bench("f16/depthwise:6x6x5-3x3-s1-p1", "sl_depthwise_f16", "whole");
    sl_case_bench("f16/depthwise:6x6x5-3x3-s1-p1-m2", "sl_depthwise_f16", "whole");
}

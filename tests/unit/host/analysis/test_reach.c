/* tests/unit/host/analysis/test_reach.c */
#include "host/analysis/reach.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/format/operands.h"
#include "host/analysis/attribution.h"
#include "tests/support/test.h"

/* Two products and a shell around them, in two runs of 1000 and 1400. */
static const char fc[] = "FullyConnected", kernel[] = "sl_matmul_f32_f32_f32p32x1_1x32_neon_mla";
static struct sl_operator operators[] = {
    {.name = "Fully Connected", .name_len = 15, .category = SL_CATEGORY_GEMM},
    {.name = "DELEGATE_CALL", .name_len = 13, .category = SL_CATEGORY_FRAMEWORK},
};
/* 1x64 * 10x64 -> 1x10, and one of 20. */
static const struct sl_operands ten = {640, 2, {{2, {1, 64}}, {2, {10, 64}}}, {2, {1, 10}}},
                                twenty = {1280, 2, {{2, {1, 64}}, {2, {20, 64}}}, {2, {1, 20}}};
static struct sl_position positions[] = {
    {.operator_index = 0, .total = 400, .origin = fc, .kernel = kernel, .operands = &ten},
    {.operator_index = 0, .total = 1600, .origin = fc, .kernel = kernel, .operands = &twenty},
    {.operator_index = 1, .total = 400},
    {.operator_index = SL_POSITION_NO_OPERATOR},
};
static struct sl_attribution_run runs[] = {{.end_to_end = 1000}, {.end_to_end = 1400}};
static const struct sl_attribution attribution = {.run_count = 2,
                                                  .measured_count = 2,
                                                  .runs = runs,
                                                  .operator_count = 2,
                                                  .operators = operators,
                                                  .position_count = 4,
                                                  .positions = positions};

static const struct sl_reach_bench benches[] = {
    {.shape = "matmul:1x10x64", .kernel = "sl_small", .cost = 300, .least = 20},
    {.shape = "matmul:1x20x64", .kernel = "sl_large", .cost = 200, .least = 40},
};

TEST(the_whole_is_reached_by_the_cheaper_of_both_at_every_place)
{
    struct sl_reach reach;
    assert_int_equal(sl_reach_list(&attribution, &reach), 0);
    assert_int_equal(reach.count, 2);
    sl_reach_take(&reach, benches, 2, true, NULL);
    assert_string_equal(reach.rows[0].bench->kernel, "sl_large"); /* most to gain first */
    assert_true(reach.rows[0].now == 800 && reach.rows[0].best == 200 && reach.rows[0].gain == 600);
    assert_true(reach.rows[1].now == 200 && reach.rows[1].best == 300 && reach.rows[1].gain == 0);
    assert_true(reach.whole == 1200 && reach.reachable == 600 && reach.measured == 1000);
    assert_true(isnan(reach.roof) && isnan(reach.rows[0].roof));
    sl_reach_fini(&reach);
}

TEST(counts_beside_times_gain_nothing)
{
    struct sl_reach reach;
    assert_int_equal(sl_reach_list(&attribution, &reach), 0);
    sl_reach_take(&reach, benches, 2, false, NULL);
    assert_true(isnan(reach.reachable));
    assert_true(reach.rows[0].best == 200 && reach.rows[0].gain == 0);
    sl_reach_fini(&reach);
}

TEST(nothing_is_reachable_where_no_kernel_takes_the_shapes)
{
    const struct sl_reach_bench none[] = {{.shape = "matmul:1x10x64"}};
    struct sl_reach reach;
    assert_int_equal(sl_reach_list(&attribution, &reach), 0);
    sl_reach_take(&reach, none, 1, true, NULL);
    assert_true(isnan(reach.reachable) && isnan(reach.rows[0].best));
    assert_null(reach.rows[0].bench);
    sl_reach_fini(&reach);
}

TEST(the_roofline_is_of_arithmetic_or_of_bytes_whichever_takes_longer)
{
    struct sl_reach reach;
    struct sl_reach_roof roof = {.macs_f32 = 1e9, .bytes = 1e12};
    assert_int_equal(sl_reach_list(&attribution, &reach), 0);
    sl_reach_take(&reach, benches, 2, true, &roof);
    assert_true(fabs(reach.rows[1].roof - 640) < 1e-9); /* 640 multiply-adds */
    /* 200 is below its roof of 640, 800 above its of 1280 no more: nothing is left to gain. */
    assert_true(reach.roof == 1200);
    roof.bytes = 1e9;
    sl_reach_take(&reach, benches, 2, true, &roof);
    assert_true(fabs(reach.rows[1].roof - 4 * (64 + 640 + 10)) < 1e-9);
    roof = (struct sl_reach_roof){.macs_s8 = 1e9};
    sl_reach_take(&reach, benches, 2, true, &roof);
    assert_true(isnan(reach.rows[0].roof) && isnan(reach.roof));
    sl_reach_fini(&reach);
}

TEST(list_survives_a_failed_allocation)
{
    struct sl_reach reach = {.rows = NULL};
    sl_mem_fail_nth(1);
    assert_int_equal(sl_reach_list(&attribution, &reach), -ENOMEM);
    assert_null(reach.rows);
}

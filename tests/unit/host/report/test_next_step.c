/* tests/unit/host/report/test_next_step.c: each rule with the number that triggers it. */
#include "host/report/next_step.h"

#include <math.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tests/support/unit.h"

#include "common/format/sltrace.h"
#include "host/analysis/attribution.h"
#include "host/analysis/comparison.h"
#include "host/report/analysis.h"
#include "host/report/comparison.h"

enum { OPERATORS = 3 };

/* A comparison of 1000 with 800 whose operators a test changes. */
static struct {
    struct sl_operator operators[OPERATORS], before[OPERATORS];
    struct sl_operator_shift rows[OPERATORS];
    struct sl_comparison c;
    struct sl_comparison_report report;
    bool packing[2]; /* is known of the sides */
} all;

static int reset(void **state)
{
    (void)state;
    static const char *const names[OPERATORS] = {"Convolution (NHWC, F32) IGEMM", "Copy",
                                                 "aten::x"};
    static const double costs[OPERATORS][2] = {{900, 720}, {60, 60}, {40, 20}};
    static const int categories[OPERATORS] = {SL_CATEGORY_CONV, SL_CATEGORY_MOVEMENT,
                                              SL_CATEGORY_ELEMENTWISE};
    memset(&all, 0, sizeof(all));
    all.c = (struct sl_comparison){.unit = SL_TRACE_NS, .verdict = SL_VERDICT_FASTER};
    for (size_t i = 0; i < OPERATORS; i++) {
        struct sl_category_shift *shift = &all.c.categories[categories[i]];
        all.operators[i] = (struct sl_operator){.name = names[i],
                                                .name_len = (uint32_t)strlen(names[i]),
                                                .category = categories[i],
                                                .category_by_name = categories[i],
                                                .delegated = true,
                                                .instances = 1};
        all.before[i] = all.operators[i];
        all.rows[i] = (struct sl_operator_shift){.baseline = &all.before[i],
                                                 .candidate = &all.operators[i],
                                                 .baseline_cost = costs[i][0],
                                                 .candidate_cost = costs[i][1],
                                                 .q = NAN};
        *shift = (struct sl_category_shift){.baseline = costs[i][0],
                                            .candidate = costs[i][1],
                                            .share_baseline = costs[i][0] / 1000,
                                            .share_candidate = costs[i][1] / 800};
    }
    all.operators[0].kernel = "sl_matmul_f32_f32p1vlx1_f32p4vlx1_1vlx4vl_sme2_mopa";
    all.c.operators = all.rows;
    all.c.operator_count = OPERATORS;
    all.c.whole_baseline = 1000;
    all.c.whole_candidate = 800;
    all.report = (struct sl_comparison_report){
        .comparison = &all.c, .factor = "sme2", .baseline_level = "off", .candidate_level = "on"};
    return 0;
}

/* The rule that fires, its number and what is named. */
static void expect(const char *rule, double value, const char *named)
{
    struct sl_next_step step;
    sl_next_step_find(&all.report, &step);
    assert_string_equal(step.rule, rule);
    assert_non_null(strstr(step.text, named));
    if (isnan(value))
        assert_true(isnan(step.value));
    else
        assert_true(fabs(step.value - value) < 1e-9);
}

TEST_WITH(outputs_come_before_all_and_conditions_next, reset, NULL)
{
    all.c.verdict = SL_VERDICT_WRONG;
    expect("wrong-output", NAN, "outputs");
    all.c.verdict = SL_VERDICT_UNFIT;
    expect("conditions", NAN, "Measure again");
    all.c.unit = SL_TRACE_INSTRUCTIONS;
    strcpy(all.c.reasons[0], "repeats of the candidate differ by 436 instructions");
    all.c.reason_count = 1;
    expect("conditions", NAN, "counting again does not help: repeats of the candidate differ");
}

TEST_WITH(what_measuring_again_does_not_change_is_not_to_be_measured_again, reset, NULL)
{
    struct sl_next_step step;
    all.c.verdict = SL_VERDICT_INCOMPARABLE;
    strcpy(all.c.reasons[0], "confounded: model differs");
    all.c.reason_count = 1;
    expect("confounded", NAN, "confounded: model differs");
    sl_next_step_find(&all.report, &step);
    assert_null(strstr(step.text, "Measure again"));
}

TEST_WITH(operator_that_sme2_is_for_and_did_not_serve_is_named, reset, NULL)
{
    all.operators[0].kernel = "sl_matmul_f32_f32p4x1_f32p8x1_4x8_neon_mla";
    expect("unserved", 0.9, "Convolution");
}

TEST_WITH(operator_that_sme2_makes_slower_is_named_unless_it_may_be_chance, reset, NULL)
{
    all.rows[1].candidate_cost = 76; /* 16 of 800 more */
    expect("costlier-with-sme2", 0.02, "Copy");
    all.rows[1].q = 0.001;
    expect("costlier-with-sme2", 0.02, "2.0 %");
    all.rows[1].q = 0.3;
    expect("largest-category", 0.9, "CONV");
}

TEST_WITH(portable_operator_over_five_per_cent_is_named, reset, NULL)
{
    all.operators[2].delegated = false;
    expect("largest-category", 0.9, "CONV"); /* 2.5 % */
    all.rows[2].candidate_cost = all.rows[2].baseline_cost = 48;
    expect("portable", 0.06, "aten::x");
}

/* To delegate them one by one is no advice where none is delegated. */
TEST_WITH(a_program_without_any_delegate_is_one_step, reset, NULL)
{
    struct sl_next_step steps[SL_NEXT_STEPS_MAX];
    for (size_t i = 0; i < OPERATORS; i++)
        all.operators[i].delegated = false;
    sl_next_steps_find(&all.report, steps);
    assert_string_equal(steps[0].rule, "undelegated");
    assert_true(fabs(steps[0].value - 1) < 1e-9 && isnan(steps[0].saves));
    assert_non_null(strstr(steps[0].text, "none of its 3 operators is in a delegate"));
    assert_non_null(strstr(steps[0].text, "Convolution (NHWC, F32) IGEMM with 90.0 %"));
    size_t count = sl_next_steps_find(&all.report, steps);
    for (size_t i = 1; i < count; i++)
        assert_string_not_equal(steps[i].rule, "portable");
}

TEST_WITH(data_movement_and_framework_over_ten_per_cent_are_named, reset, NULL)
{
    all.c.categories[SL_CATEGORY_FRAMEWORK].share_candidate = 0.11;
    expect("framework", 0.11, "11.0 %");
    all.c.categories[SL_CATEGORY_MOVEMENT].share_candidate = 0.12;
    expect("data-movement", 0.12, "12.0 %");
}

/* Steps are in the order of what they save. */
TEST_WITH(steps_are_ranked_by_what_they_save, reset, NULL)
{
    struct sl_next_step steps[SL_NEXT_STEPS_MAX];
    all.operators[0].kernel = "sl_matmul_f32_f32p4x1_f32p8x1_4x8_neon_mla";
    all.operators[2].delegated = false;
    all.rows[2].candidate_cost = all.rows[2].baseline_cost = 200;
    all.c.categories[SL_CATEGORY_MOVEMENT].share_candidate = 0.12;
    assert_int_equal(sl_next_steps_find(&all.report, steps), 3);
    assert_string_equal(steps[0].rule, "unserved");
    assert_string_equal(steps[1].rule, "portable");
    assert_string_equal(steps[2].rule, "data-movement");
    assert_true(fabs(steps[1].saves - 0.25) < 1e-9);
    assert_non_null(strstr(steps[1].text, "If that cost nothing: 1.33x faster"));
    all.c.unit = SL_TRACE_INSTRUCTIONS; /* counts are no speed */
    sl_next_steps_find(&all.report, steps);
    assert_non_null(strstr(steps[1].text, "If that cost nothing: 1.33x fewer instructions"));
    assert_null(strstr(steps[1].text, "faster"));
}

TEST_WITH(no_word_of_sme2_where_both_sides_use_it, reset, NULL)
{
    struct sl_next_step steps[SL_NEXT_STEPS_MAX];
    all.before[0].kernel = all.operators[0].kernel;
    all.rows[0].candidate_cost = 940; /* 40 more, with the same kernel */
    expect("costlier", 0.05, "Convolution");
    all.report.baseline_level = "on"; /* two builds */
    all.operators[0].kernel = "sl_matmul_f32_f32p4x1_f32p8x1_4x8_neon_mla";
    size_t count = sl_next_steps_find(&all.report, steps);
    for (size_t i = 0; i < count; i++)
        assert_null(strstr(steps[i].text, "SME2"));
}

/* One category is nearly all: that stands out. */
TEST_WITH(largest_category_stands_out_from_half_of_all_on, reset, NULL)
{
    struct sl_next_step step;
    expect("largest-category", 0.9,
           "Look at CONV first: it is 90.0 % of end to end with SME2 on. If all else cost nothing: "
           "1.11x faster");
    sl_next_step_find(&all.report, &step);
    assert_null(strstr(step.text, "Nothing stands out"));
    all.c.unit = SL_TRACE_INSTRUCTIONS;
    expect("largest-category", 0.9, "1.11x fewer instructions");
    all.c.categories[SL_CATEGORY_CONV].share_candidate = 0.4;
    expect("largest-category", 0.4,
           "Nothing stands out: no category is half of end to end with SME2 on, the largest is "
           "CONV with 40.0 %");
}

/* An operator that the run kept off SME2 says nothing against SME2's kernels. */
TEST_WITH(operator_that_the_policy_keeps_off_sme2_is_not_called_unserved, reset, NULL)
{
    cJSON *kept = cJSON_Parse("{\"table\":{\"operators\":[{\"operator\":\"Convolution (NHWC, F32) "
                              "IGEMM #1\",\"kernel_on\":\"sl_conv_sme2\",\"streams\":false}]}}");
    cJSON *families = cJSON_Parse("{\"streaming_off\":[\"matmul\",7,\"pool\"],\"table\":null}");
    cJSON *others = cJSON_Parse("{\"streaming_off\":[\"conv\",\"pool\",\"mat\"],\"table\":null}");
    assert_true(kept && families && others);
    all.operators[0].kernel = "sl_matmul_f32_f32p4x1_f32p8x1_4x8_neon_mla";
    all.report.policies.now = kept;
    expect("largest-category", 0.9, "CONV");
    all.report.policies.now = families;
    expect("largest-category", 0.9, "CONV");
    all.report.policies.now = others;
    expect("unserved", 0.9, "no SME2 one");
    all.report.policies.now = NULL;
    expect("unserved", 0.9, "no SME2 one");
    cJSON_Delete(others);
    cJSON_Delete(families);
    cJSON_Delete(kept);
}

/* The categories of the operators; a test gives their totals. */
static void give_sides(struct sl_analysis sides[2])
{
    sides[0] = (struct sl_analysis){.file = "off"};
    sides[1] = (struct sl_analysis){.file = "on"};
    for (size_t i = 0; i < 2; i++)
        sides[i].attribution = (struct sl_attribution){.operators = i ? all.operators : all.before,
                                                       .operator_count = OPERATORS,
                                                       .measured_count = 1,
                                                       .packing = all.packing[i]};
    all.report.baseline = &sides[0];
    all.report.candidate = &sides[1];
}

/* Elementwise is all of one part; the other categories have none. All of 1000 and of 300. */
static size_t steps_of_part(const char *part, const int64_t costs[OPERATORS][2],
                            struct sl_next_step out[SL_NEXT_STEPS_MAX])
{
    struct sl_analysis sides[2];
    for (size_t i = 0; i < OPERATORS; i++) {
        if (i == 2)
            all.before[i].part = all.operators[i].part = part;
        all.before[i].total = costs[i][0];
        all.operators[i].total = costs[i][1];
        all.rows[i].q = 0.3; /* costlier by chance, if at all */
    }
    memset(all.c.categories, 0, sizeof(all.c.categories));
    for (size_t i = 0; i < OPERATORS; i++) {
        all.c.categories[all.operators[i].category].baseline += (double)costs[i][0];
        all.c.categories[all.operators[i].category].candidate += (double)costs[i][1];
    }
    all.c.whole_baseline = 1000;
    all.c.whole_candidate = 300;
    give_sides(sides);
    size_t count = sl_next_steps_find(&all.report, out);
    all.report.baseline = all.report.candidate = NULL;
    return count;
}

/* Pool grew to 42 % while convolutions are still more: the bottleneck is where it was. */
TEST_WITH(part_that_grew_is_no_moved_bottleneck_while_another_category_is_larger, reset, NULL)
{
    static const int64_t costs[OPERATORS][2] = {{910, 165}, {10, 9}, {80, 126}};
    struct sl_next_step steps[SL_NEXT_STEPS_MAX];
    assert_int_equal(steps_of_part("pool", costs, steps), 1);
    assert_string_equal(steps[0].rule, "part-grew");
    assert_non_null(strstr(steps[0].text,
                           "Look at pool (Elementwise): 42.0 % of end to end with SME2 "
                           "on, 8.0 % with it off"));
    assert_null(strstr(steps[0].text, "moved"));
}

/* It is a part that grew besides, of which nothing more is said. */
TEST_WITH(packing_inside_products_is_valued, reset, NULL)
{
    static const int64_t costs[OPERATORS][2] = {{910, 165}, {10, 9}, {80, 126}};
    struct sl_next_step steps[SL_NEXT_STEPS_MAX];
    all.c.unit = SL_TRACE_INSTRUCTIONS;
    all.operators[0].packing = 66;
    all.packing[1] = true;
    assert_int_equal(steps_of_part("arithmetic", costs, steps), 1);
    assert_string_not_equal(steps[0].rule, "packing"); /* of the other side it is not known */
    all.packing[0] = true;
    assert_int_equal(steps_of_part("arithmetic", costs, steps), 2);
    assert_string_equal(steps[1].rule, "packing");
    assert_true(fabs(steps[1].saves - 0.22) < 1e-9);
    assert_non_null(strstr(steps[1].text, "Packing is 40.0 % of CONV with SME2 on (0.0 % with it "
                                          "off), 22.0 % of end to end"));
    assert_non_null(strstr(steps[1].text, "merge convolutions that read one input. If that cost "
                                          "nothing: 1.28x fewer instructions"));
    all.operators[0].packing = 15; /* 5 % */
    assert_int_equal(steps_of_part("arithmetic", costs, steps), 1);
    assert_string_not_equal(steps[0].rule, "packing");
}

/* GELU went from 12 to 36 %: that stands out though every operator gained. */
TEST_WITH(where_the_bottleneck_went_is_said, reset, NULL)
{
    static const int64_t costs[OPERATORS][2] = {{440, 96}, {440, 96}, {120, 108}};
    struct sl_next_step steps[SL_NEXT_STEPS_MAX];
    assert_int_equal(steps_of_part("activation", costs, steps), 1);
    assert_string_equal(steps[0].rule, "bottleneck-moved");
    assert_non_null(strstr(steps[0].text, "activation (Elementwise): 36.0 % of end to end with "
                                          "SME2 on, 12.0 % with it off"));
    assert_non_null(strstr(steps[0].text, "1.56x faster"));
}

/* Conversions to int8 are no layout changes that could be taken out. */
TEST_WITH(data_movement_is_named_by_its_largest_part, reset, NULL)
{
    struct sl_analysis sides[2];
    all.before[1].part = all.operators[1].part = "pack and quantise";
    all.before[1].total = all.operators[1].total = 60;
    all.c.categories[SL_CATEGORY_MOVEMENT].share_candidate = 0.12;
    give_sides(sides);
    expect("data-movement", 0.12, "Look at what is packed and quantised: data movement is 12.0 %");
    expect("data-movement", 0.12, ", its largest part is pack and quantise");
    all.before[1].part = all.operators[1].part = "layout";
    expect("data-movement", 0.12, "Take out layout changes and copies: data movement is 12.0 %");
    expect("data-movement", 0.12, ", its largest part is layout");
    all.report.baseline = all.report.candidate = NULL;
}

/* More runs of a side alone would not help. */
TEST_WITH(sides_measured_apart_are_to_be_measured_in_turn, reset, NULL)
{
    all.c.verdict = SL_VERDICT_INCONCLUSIVE;
    all.c.method = SL_METHOD_UNPAIRED;
    strcpy(all.c.reasons[0], "unpaired: nothing tells");
    all.c.reason_count = 1;
    expect("conditions", NAN, "both sides in turn, as 'sme2lab run' does, in 20 pairs or more");
    all.c.method = SL_METHOD_PAIRED;
    expect("conditions", NAN, "unpaired: nothing tells");
}

/* No part of Elementwise is the largest, but all of it is: 10.6 to 38.7 %. */
TEST_WITH(category_that_became_the_largest_is_where_the_bottleneck_went, reset, NULL)
{
    static const int64_t costs[OPERATORS][2] = {{884, 154}, {10, 30}, {106, 116}};
    struct sl_next_step steps[SL_NEXT_STEPS_MAX];
    all.operators[1].category = all.before[1].category = SL_CATEGORY_ELEMENTWISE;
    all.before[1].part = all.operators[1].part = "arithmetic";
    assert_int_equal(steps_of_part("activation", costs, steps), 1); /* CONV is 51 % */
    assert_string_equal(steps[0].rule, "part-grew");
    static const int64_t even[OPERATORS][2] = {{884, 110}, {10, 84}, {106, 106}};
    size_t count = steps_of_part("activation", even, steps);
    assert_int_equal(count, 3);
    assert_string_equal(steps[0].rule, "bottleneck-moved");
    assert_non_null(strstr(steps[0].text, "The bottleneck moved to Elementwise: 63.3 % of end to "
                                          "end with SME2 on, 11.6 % with it off. If that cost "
                                          "nothing: 2.73x faster"));
    assert_string_equal(steps[1].rule, "part-grew");
}

/* Fewer instructions that take longer by the estimate: the policy is the last step of all. */
TEST_WITH(policy_is_advised_where_sme2_is_slower_by_the_estimate, reset, NULL)
{
    struct sl_next_step steps[SL_NEXT_STEPS_MAX];
    cJSON *estimates =
        cJSON_Parse("[{\"profile\":\"m4\",\"off\":{\"mid_ns\":72},\"on\":{\"mid_ns\":100}},"
                    "{\"profile\":\"c1\",\"off\":{\"mid_ns\":50},\"on\":{\"mid_ns\":100}},"
                    "{\"profile\":\"c2\",\"off\":{\"mid_ns\":200},\"on\":{\"mid_ns\":100}}]");
    cJSON *policy = cJSON_Parse("{\"table\":{}}");
    assert_non_null(estimates);
    assert_non_null(policy);
    all.report.estimates = estimates;
    assert_int_equal(sl_next_steps_find(&all.report, steps), 1); /* ExecuTorch takes no policy */
    all.report.own = true;
    assert_int_equal(sl_next_steps_find(&all.report, steps), 2);
    assert_string_equal(steps[1].rule, "estimated-slower");
    assert_string_equal(
        steps[1].text,
        "By the estimate c1 takes longer with SME2 on (off / on: 0.50): keep SME2 to "
        "the operators that gain there, --policy estimated:c1");
    all.report.policies.now = policy; /* it has one already */
    assert_int_equal(sl_next_steps_find(&all.report, steps), 1);
    all.report.policies.now = NULL;
    cJSON_DeleteItemFromArray(estimates, 0);
    cJSON_DeleteItemFromArray(estimates, 0);
    assert_int_equal(sl_next_steps_find(&all.report, steps), 1);
    cJSON_Delete(policy);
    cJSON_Delete(estimates);
}

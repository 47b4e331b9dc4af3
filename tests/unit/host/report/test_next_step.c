/* tests/unit/host/report/test_next_step.c: each rule with the number that triggers it. */
#include "host/report/next_step.h"

#include <math.h>
#include <string.h>

#include "tests/support/unit.h"

#include "common/format/sltrace.h"
#include "host/analysis/attribution.h"
#include "host/analysis/comparison.h"
#include "host/report/comparison.h"

enum { OPERATORS = 3 };

/* A comparison of 1000 with 800 whose operators a test changes. */
static struct {
    struct sl_operator operators[OPERATORS];
    struct sl_operator_shift rows[OPERATORS];
    struct sl_comparison c;
    struct sl_comparison_report report;
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
        all.rows[i] = (struct sl_operator_shift){.baseline = &all.operators[i],
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
    all.report = (struct sl_comparison_report){.comparison = &all.c};
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
}

TEST_WITH(operator_that_sme2_is_for_and_did_not_serve_is_named, reset, NULL)
{
    all.operators[0].kernel = "sl_matmul_f32_f32p4x1_f32p8x1_4x8_neon_mla";
    expect("unserved", 0.9, "Convolution");
}

TEST_WITH(operator_that_sme2_makes_slower_is_named_unless_it_may_be_chance, reset, NULL)
{
    all.rows[1].candidate_cost = 76; /* 16 of 800 more */
    expect("slower-with-sme2", 0.02, "Copy");
    all.rows[1].q = 0.001;
    expect("slower-with-sme2", 0.02, "2.0 %");
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

TEST_WITH(data_movement_and_framework_over_ten_per_cent_are_named, reset, NULL)
{
    all.c.categories[SL_CATEGORY_FRAMEWORK].share_candidate = 0.11;
    expect("framework", 0.11, "11.0 %");
    all.c.categories[SL_CATEGORY_MOVEMENT].share_candidate = 0.12;
    expect("data-movement", 0.12, "12.0 %");
}

#include "host/analysis/conditions.h"

#include <stdio.h>
#include <string.h>

#include "host/analysis/comparison.h"
#include "tests/support/test.h"

static struct sl_conditions known(const char *sme2)
{
    struct sl_conditions c;
    for (int i = 0; i < SL_CONDITION_COUNT; i++)
        snprintf(c.values[i], sizeof(c.values[i]), "%s", i == SL_CONDITION_SME2 ? sme2 : "same");
    return c;
}

TEST(what_differs_beside_the_factor_is_confounded)
{
    static const int others[] = {SL_CONDITION_MODEL,  SL_CONDITION_INPUTS, SL_CONDITION_THREADS,
                                 SL_CONDITION_DEVICE, SL_CONDITION_BUILD,  SL_CONDITION_CPUS,
                                 SL_CONDITION_POWER};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct sl_comparison c = {.verdict = SL_VERDICT_FASTER};
        struct sl_conditions off = known("off");
        struct sl_conditions on = known("on");
        snprintf(on.values[others[i]], sizeof(on.values[0]), "another");
        sl_conditions_check(&off, &on, sl_conditions_factor(&off, &on), &c);
        assert_int_equal(c.verdict, SL_VERDICT_INCOMPARABLE);
        assert_int_equal(c.reason_count, 1);
        assert_non_null(strstr(c.reasons[0], sl_condition_name(others[i])));
    }
}

TEST(each_difference_is_told_after_all_that_was_found_before)
{
    struct sl_comparison c = {.verdict = SL_VERDICT_FASTER};
    struct sl_conditions a = known("on");
    struct sl_conditions b = known("on");
    for (int i = 0; i < 20; i++)
        sl_comparison_note(&c, "a finding");
    for (int i = SL_CONDITION_MODEL; i < SL_CONDITION_COUNT; i++)
        snprintf(b.values[i], sizeof(b.values[0]), "another");
    sl_conditions_check(&a, &b, SL_CONDITION_SME2, &c);
    assert_int_equal(c.reason_count, 20 + SL_CONDITION_COUNT - 1);
    assert_non_null(strstr(c.reasons[c.reason_count - 1], "build differs"));
}

TEST(digests_are_told_by_their_first_digits)
{
    struct sl_comparison c = {.verdict = SL_VERDICT_FASTER};
    struct sl_conditions a = known("on");
    struct sl_conditions b = known("on");
    memset(a.values[SL_CONDITION_MODEL], 'a', 64);
    memset(b.values[SL_CONDITION_MODEL], 'b', 64);
    a.values[SL_CONDITION_MODEL][64] = b.values[SL_CONDITION_MODEL][64] = '\0';
    sl_conditions_check(&a, &b, SL_CONDITION_SME2, &c);
    assert_string_equal(c.reasons[0],
                        "confounded: model differs: aaaaaaaaaaaa against bbbbbbbbbbbb");
}

TEST(a_declared_factor_may_differ)
{
    struct sl_comparison c = {.verdict = SL_VERDICT_FASTER};
    struct sl_conditions a = known("on");
    struct sl_conditions b = known("on");
    snprintf(b.values[SL_CONDITION_THREADS], sizeof(b.values[0]), "4");
    assert_int_equal(sl_conditions_factor(&a, &b), SL_CONDITION_NONE);
    sl_conditions_check(&a, &b, sl_condition_parse("threads"), &c);
    assert_int_equal(c.verdict, SL_VERDICT_FASTER);
    assert_int_equal(c.reason_count, 0);
}

TEST(another_runtime_is_another_build_and_no_confound)
{
    struct sl_comparison c = {.verdict = SL_VERDICT_FASTER};
    struct sl_conditions a = known("on");
    struct sl_conditions b = known("on");
    snprintf(b.values[SL_CONDITION_BUILD], sizeof(b.values[0]), "another");
    snprintf(b.values[SL_CONDITION_RUNTIME], sizeof(b.values[0]), "executorch");
    assert_int_equal(sl_conditions_factor(&a, &b), SL_CONDITION_RUNTIME);
    sl_conditions_check(&a, &b, SL_CONDITION_RUNTIME, &c);
    assert_int_equal(c.verdict, SL_VERDICT_FASTER);
    sl_conditions_check(&a, &b, SL_CONDITION_BUILD, &c);
    assert_int_equal(c.verdict, SL_VERDICT_INCOMPARABLE);
}

TEST(another_build_is_the_factor_when_sme2_is_the_same)
{
    struct sl_conditions a = known("on");
    struct sl_conditions b = known("on");
    snprintf(b.values[SL_CONDITION_BUILD], sizeof(b.values[0]), "another");
    assert_int_equal(sl_conditions_factor(&a, &b), SL_CONDITION_BUILD);
}

TEST(what_is_unknown_is_said_but_is_no_verdict)
{
    struct sl_comparison c = {.verdict = SL_VERDICT_FASTER};
    struct sl_conditions a = known("on");
    struct sl_conditions nothing = {.values = {""}};
    sl_conditions_check(&a, &nothing, SL_CONDITION_NONE, &c);
    assert_int_equal(c.verdict, SL_VERDICT_FASTER);
    assert_int_equal(c.reason_count, 1);
    assert_non_null(strstr(
        c.reasons[0], "model, inputs, threads, concurrency, cpus, device, power, runtime, build"));
}

TEST(one_process_goes_without_saying)
{
    struct sl_comparison c = {.verdict = SL_VERDICT_FASTER};
    struct sl_conditions a = known("on");
    struct sl_conditions b = known("on");
    snprintf(a.values[SL_CONDITION_CONCURRENCY], sizeof(a.values[0]), "1");
    b.values[SL_CONDITION_CONCURRENCY][0] = '\0';
    sl_conditions_check(&a, &b, SL_CONDITION_NONE, &c);
    assert_int_equal(c.reason_count, 0);
    snprintf(b.values[SL_CONDITION_CONCURRENCY], sizeof(b.values[0]), "4");
    sl_conditions_check(&a, &b, SL_CONDITION_NONE, &c);
    assert_int_equal(c.verdict, SL_VERDICT_INCOMPARABLE);
    assert_non_null(strstr(c.reasons[0], "concurrency differs: 1 against 4"));
}

TEST(wrong_outputs_stay_wrong_whatever_else_differs)
{
    struct sl_comparison c = {.verdict = SL_VERDICT_WRONG};
    struct sl_conditions a = known("on");
    struct sl_conditions b = known("off");
    sl_conditions_check(&a, &b, SL_CONDITION_NONE, &c);
    assert_int_equal(c.verdict, SL_VERDICT_WRONG);
}

TEST(names_lead_back_to_their_conditions)
{
    for (int i = 0; i < SL_CONDITION_COUNT; i++)
        assert_int_equal(sl_condition_parse(sl_condition_name(i)), i);
    assert_int_equal(sl_condition_parse("weather"), SL_CONDITION_NONE);
    assert_string_equal(sl_condition_name(SL_CONDITION_NONE), "run");
}

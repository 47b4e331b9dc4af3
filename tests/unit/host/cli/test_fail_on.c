/* tests/unit/host/cli/test_fail_on.c */
#include "host/cli/fail_on.h"

#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/cli/exit_code.h"
#include "host/spec/plan.h"
#include "tests/support/test.h"

TEST(a_list_says_what_alone_fails)
{
    struct sl_fail_on list = {.any = false};
    assert_int_equal(sl_fail_on_parse("slower:3%,wrong", &list, NULL), 0);
    assert_int_equal(sl_fail_on_code(&list, SL_FAIL_SLOWER, SL_EXIT_REGRESSION),
                     SL_EXIT_REGRESSION);
    assert_int_equal(sl_fail_on_code(&list, SL_FAIL_SLOWER, SL_EXIT_INCONCLUSIVE),
                     SL_EXIT_INCONCLUSIVE);
    assert_int_equal(sl_fail_on_code(&list, SL_FAIL_MORE_INSTRUCTIONS, SL_EXIT_REGRESSION),
                     SL_EXIT_DONE);
    assert_int_equal(sl_fail_on_code(&list, SL_FAIL_REGRESSION, SL_EXIT_INCONCLUSIVE),
                     SL_EXIT_DONE);
    assert_int_equal(sl_fail_on_code(&list, SL_FAIL_REGRESSION, SL_EXIT_FAILED), SL_EXIT_FAILED);
    const struct sl_fail_on none = {.any = false};
    assert_int_equal(sl_fail_on_code(&none, SL_FAIL_SLOWER, SL_EXIT_REGRESSION),
                     SL_EXIT_REGRESSION);
}

TEST(its_percentages_become_the_thresholds_of_the_devices_clock)
{
    struct sl_fail_on list = {.any = false};
    struct sl_plan *plan = sl_calloc(1, sizeof(*plan));
    assert_non_null(plan);
    sl_plan_init(plan, "model.pte");
    plan->specs[0].threshold_percent = 7;
    assert_int_equal(sl_fail_on_parse("more-instructions:2.5,slower", &list, NULL), 0);
    sl_fail_on_apply(&list, false, plan);
    assert_true(plan->specs[0].threshold_percent == 7);
    sl_fail_on_apply(&list, true, plan);
    assert_true(plan->specs[0].threshold_percent == 2.5);
    sl_plan_fini(plan);
    sl_free(plan);
}

TEST(what_is_no_list_is_refused_with_the_words_that_there_are)
{
    static const char *const bad[] = {"",
                                      "slower,",
                                      "faster:3%",
                                      "slower:",
                                      "slower:x",
                                      "slower:-1%",
                                      "slower:3%%",
                                      "slower:1001%",
                                      "slower:3%,slower",
                                      "wrong:1%",
                                      "slower:nan",
                                      "slower:.",
                                      "slower:1%,more-instructions-than-there-were-ever-before:2%"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct sl_diag diag = {.what = ""};
        struct sl_fail_on list = {.any = false};
        assert_int_equal(sl_fail_on_parse(bad[i], &list, &diag), SL_E_UNSUPPORTED);
        assert_false(list.any);
        assert_non_null(strstr(diag.hint, "slower:3%,more-instructions:1%"));
    }
}

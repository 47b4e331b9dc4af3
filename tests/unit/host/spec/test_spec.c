/* tests/unit/host/spec/test_spec.c */
#include "host/spec/spec.h"

#include <stdint.h>
#include <string.h>

#include "common/base/error.h"
#include "tests/support/test.h"

static struct sl_spec spec_of(double precision, double budget, uint32_t runs, uint32_t timeout)
{
    struct sl_spec spec;
    sl_spec_init(&spec);
    spec.precision_percent = precision;
    spec.budget_seconds = budget;
    spec.runs = runs;
    spec.timeout_seconds = timeout;
    return spec;
}

TEST(a_precision_has_the_limits_that_were_simulated)
{
    static const struct {
        double precision, budget;
        uint32_t runs;
        bool counted;
        uint32_t pairs, budget_ms;
    } cases[] = {
        {0, 0, SL_SPEC_UNSET, false, 100, 0},
        {1.5, 0, SL_SPEC_UNSET, false, SL_SPEC_PRECISE_PAIRS, 1000 * SL_SPEC_PRECISE_SECONDS},
        {0, 2.5, SL_SPEC_UNSET, false, 5000, 2500},
        {1.5, 7, 60, false, 60, 7000},
        {1.5, 0, SL_SPEC_UNSET, true, 2, 0}, /* counts are exact */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_spec spec = spec_of(cases[i].precision, cases[i].budget, cases[i].runs, 0);
        uint32_t pairs, budget_ms;
        sl_spec_limits(&spec, cases[i].counted, &pairs, &budget_ms);
        assert_int_equal(pairs, cases[i].pairs);
        assert_int_equal(budget_ms, cases[i].budget_ms);
    }
}

TEST(a_precision_that_no_look_can_reach_is_refused)
{
    struct sl_diag diag = {0};
    struct sl_spec spec = spec_of(1.5, 0, 19, 0);
    assert_int_equal(sl_spec_check_looks(&spec, "here", &diag), SL_E_FORMAT);
    assert_string_equal(diag.where, "here");
    spec.runs = 20;
    assert_int_equal(sl_spec_check_looks(&spec, "here", &diag), 0);
    spec.timeout_seconds = 120; /* no more than the budget that it comes with */
    assert_int_equal(sl_spec_check_looks(&spec, "here", &diag), SL_E_FORMAT);
    spec.budget_seconds = 60;
    assert_int_equal(sl_spec_check_looks(&spec, "here", &diag), 0);
}

TEST(one_process_on_one_thread_can_be_counted)
{
    struct sl_diag diag = {0};
    struct sl_spec spec = spec_of(0, 0, 2, 0);
    assert_int_equal(sl_spec_check_counted(&spec, &diag), 0);
    spec.threads[0] = 2;
    assert_int_equal(sl_spec_check_counted(&spec, &diag), SL_E_UNSUPPORTED);
    assert_string_equal(diag.where, "/threads");
    spec.concurrency[0] = 2;
    assert_int_equal(sl_spec_check_counted(&spec, &diag), SL_E_UNSUPPORTED);
    assert_string_equal(diag.where, "/concurrency");
}

TEST(a_model_is_called_as_asked_or_after_its_path)
{
    struct sl_spec spec;
    char title[SL_NAME_BYTES];
    sl_spec_init(&spec);
    sl_spec_model_title(&spec, title, sizeof(title));
    assert_string_equal(title, "model");
    spec.model = "zoo/toy/model.pte";
    sl_spec_model_title(&spec, title, sizeof(title));
    assert_string_equal(title, "toy");
    spec.title = "Toy, 8 bits";
    sl_spec_model_title(&spec, title, sizeof(title));
    assert_string_equal(title, "Toy, 8 bits");
}

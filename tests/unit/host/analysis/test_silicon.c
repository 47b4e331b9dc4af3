/* tests/unit/host/analysis/test_silicon.c */
#include "host/analysis/silicon.h"

#include <string.h>

#include "tests/support/test.h"

TEST(figures_have_names_units_and_ranges)
{
    for (int id = 0; id < SL_FIGURE_COUNT; id++) {
        const struct sl_figure_description *is = sl_figure_describe(id);
        assert_true(is->least < is->most && is->unit[0] != '\0');
        assert_int_equal(is->of_unit, strncmp(is->name, "unit.", 5) == 0);
    }
}

TEST(the_cores_classes_have_no_cycles_of_the_unit)
{
    assert_false(sl_work_has_cycles(SL_WORK_NEON));
    assert_false(sl_work_has_cycles(SL_WORK_Z_TO_CORE)); /* it is a round trip */
    assert_true(sl_work_has_cycles(SL_WORK_OUTER_F32));
    assert_true(sl_work_has_latency(SL_WORK_NEON_MAC));
    assert_false(sl_work_has_latency(SL_WORK_Z_1));
}

TEST(confidences_are_ordered)
{
    assert_true(sl_confidence_rank('M') < sl_confidence_rank('V'));
    assert_true(sl_confidence_rank('V') < sl_confidence_rank('F'));
    assert_true(sl_confidence_rank('F') < sl_confidence_rank('I'));
    assert_int_equal(sl_confidence_rank(0), sl_confidence_rank('I'));
}

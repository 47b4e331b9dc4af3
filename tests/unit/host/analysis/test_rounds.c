/* tests/unit/host/analysis/test_rounds.c */
#include "host/analysis/rounds.h"

#include "tests/support/unit.h"

TEST(an_execution_has_its_round_and_may_be_warm_up)
{
    const struct sl_rounds r = {.warmup = 1, .count = 2, .executions = {3, 2}};
    bool warmup = true;
    static const uint32_t rounds[] = {0, 0, 0, 1, 1};
    static const bool warmups[] = {true, false, false, true, false};
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(sl_rounds_find(&r, i, &warmup), rounds[i]);
        assert_int_equal(warmup, warmups[i]);
    }
    warmup = true;
    assert_int_equal(sl_rounds_find(&r, 5, &warmup), UINT32_MAX);
    assert_false(warmup);
    assert_int_equal(sl_rounds_executions(&r), 5);
}

/* tests/unit/host/analysis/test_rounds.c */
#include "host/analysis/rounds.h"

#include "tests/support/unit.h"

TEST(executions_are_spread_over_the_rounds)
{
    struct sl_rounds r;
    sl_rounds_plan(21, 2, 20, &r);
    assert_int_equal(r.count, 20);
    assert_int_equal(r.executions[0], 4);
    assert_int_equal(r.executions[1], 3);
    assert_int_equal(r.executions[19], 3);
    assert_int_equal(sl_rounds_executions(&r), 21 + 20 * 2);
    sl_rounds_plan(3, 0, 20, &r);
    assert_int_equal(r.count, 3); /* no round without a measured execution */
    sl_rounds_plan(1000000, 0, 1000000, &r);
    assert_int_equal(r.count, SL_ROUNDS_MAX);
    assert_int_equal(sl_rounds_executions(&r), 1000000);
}

TEST(an_execution_has_its_round_and_may_be_warm_up)
{
    struct sl_rounds r;
    bool warmup = true;
    sl_rounds_plan(3, 1, 2, &r); /* 1 + 2, 1 + 1 */
    static const uint32_t rounds[] = {0, 0, 0, 1, 1};
    static const bool warmups[] = {true, false, false, true, false};
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(sl_rounds_find(&r, i, &warmup), rounds[i]);
        assert_int_equal(warmup, warmups[i]);
    }
    warmup = true;
    assert_int_equal(sl_rounds_find(&r, 5, &warmup), UINT32_MAX);
    assert_false(warmup);
}

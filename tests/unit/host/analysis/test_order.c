/* tests/unit/host/analysis/test_order.c */
#include "host/analysis/order.h"

#include <errno.h>
#include <math.h>

#include "common/base/mem.h"
#include "host/analysis/random.h"
#include "tests/support/test.h"

enum { PAIRS = 40 };

/* A ratio of 1.1 with 1 % of noise; the later run of a pair takes `later` longer. */
static void fill(double values[PAIRS], double later, uint64_t seed)
{
    struct sl_random random = {seed};
    for (size_t i = 0; i < PAIRS; i++)
        values[i] = log(1.1) + 0.01 * ((double)sl_random_below(&random, 2001) / 1000 - 1) +
                    (i % 2 ? later : -later);
}

TEST(an_order_effect_is_cancelled)
{
    double values[PAIRS], effect;
    fill(values, 0.05, 1);
    assert_int_equal(sl_order_cancel(values, PAIRS, &effect), 0);
    assert_true(fabs(effect + 0.05) < 0.005);
    for (size_t i = 0; i < PAIRS; i++)
        assert_true(fabs(values[i] - log(1.1)) < 0.02);
}

TEST(without_one_nothing_is_touched)
{
    unsigned touched = 0;
    double values[PAIRS], effect;
    for (uint64_t seed = 0; seed < 500; seed++) {
        fill(values, 0, 100 + seed);
        double before = values[3];
        assert_int_equal(sl_order_cancel(values, PAIRS, &effect), 0);
        touched += effect != 0;
        assert_true(effect != 0 || values[3] == before);
    }
    assert_true(touched <= 5);
    fill(values, 0.05, 2);
    assert_int_equal(sl_order_cancel(values, 9, &effect), 0);
    assert_true(effect == 0);
}

TEST(failed_allocation_is_an_error)
{
    double values[PAIRS], effect;
    fill(values, 0.05, 3);
    sl_mem_fail_nth(1);
    assert_int_equal(sl_order_cancel(values, PAIRS, &effect), -ENOMEM);
    sl_mem_fail_nth(0);
}

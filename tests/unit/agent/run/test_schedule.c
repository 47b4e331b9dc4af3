/* tests/unit/agent/run/test_schedule.c */
#include "agent/run/schedule.h"

#include <stdint.h>

#include "tests/support/test.h"

/* The first value of the published reference implementation for these states. */
TEST(generator_is_splitmix64)
{
    assert_true(sl_schedule_splitmix64(0) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(sl_schedule_splitmix64(1234567) == UINT64_C(6457827717110365317));
}

TEST(pairs_alternate_from_the_order_that_the_seed_draws)
{
    unsigned seen[2] = {0};
    for (uint64_t seed = 0; seed < 64; seed++) {
        unsigned first = sl_schedule_first(seed, 0);
        assert_true(first < 2);
        seen[first]++;
        for (uint32_t pair = 0; pair < 10; pair++)
            assert_int_equal(sl_schedule_first(seed, pair), first ^ (pair & 1));
    }
    assert_true(seen[0] > 16 && seen[1] > 16);
}

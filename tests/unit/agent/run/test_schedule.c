/* tests/unit/agent/run/test_schedule.c */
#include "agent/run/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The first value of the published reference implementation for these states. */
static void generator_is_splitmix64(void **state)
{
    (void)state;
    assert_true(sl_schedule_splitmix64(0) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(sl_schedule_splitmix64(1234567) == UINT64_C(6457827717110365317));
}

static void pairs_alternate_from_the_order_that_the_seed_draws(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generator_is_splitmix64),
        cmocka_unit_test(pairs_alternate_from_the_order_that_the_seed_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

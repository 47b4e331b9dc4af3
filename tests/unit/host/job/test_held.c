/* tests/unit/host/job/test_held.c */
#include "host/job/held.h"

#include <errno.h>
#include <stdbool.h>

#include "common/base/mem.h"
#include "tests/support/random.h"
#include "tests/support/test.h"

enum { JOBS = 200, ROUNDS = 300, MOST = 4 };

static struct sl_held *fresh(void)
{
    struct sl_held *held = NULL;
    assert_int_equal(sl_held_new(&held), 0);
    return held;
}

TEST(a_job_is_held_until_its_time_and_until_all_others_have_ended)
{
    struct sl_held *held = fresh();
    const uint64_t first[] = {1, 2, 1};
    uint64_t job = 0, failed = 7;
    assert_int_equal(sl_held_put(held, 3, 50, first, 3), 0);
    assert_int_equal(sl_held_put(held, 4, 20, NULL, 0), 0);
    assert_int_equal(sl_held_next_ms(held), 20);
    assert_false(sl_held_take(held, 19, &job, &failed));
    assert_true(sl_held_take(held, 20, &job, &failed));
    assert_int_equal(job, 4);
    assert_int_equal(failed, 0);
    sl_held_ended(held, 1, true);
    assert_int_equal(sl_held_next_ms(held), UINT64_MAX);
    sl_held_ended(held, 2, true);
    assert_int_equal(sl_held_next_ms(held), 50);
    sl_held_ended(held, 2, false); /* nobody waits for it any more */
    assert_false(sl_held_take(held, 49, &job, &failed));
    assert_true(sl_held_take(held, 50, &job, &failed));
    assert_int_equal(job, 3);
    sl_held_free(held);
}

TEST(a_failure_ends_the_wait_at_once)
{
    struct sl_held *held = fresh();
    const uint64_t first[] = {5, 6};
    uint64_t job = 0, failed = 0;
    assert_int_equal(sl_held_put(held, 8, UINT64_MAX, first, 2), 0);
    assert_int_equal(sl_held_put(held, 9, 0, first, 1), 0);
    sl_held_drop(held, 9);
    sl_held_drop(held, 9);
    sl_held_ended(held, 6, false);
    assert_true(sl_held_take(held, 0, &job, &failed));
    assert_int_equal(job, 8);
    assert_int_equal(failed, 6);
    assert_false(sl_held_take(held, UINT64_MAX, &job, &failed));
    sl_held_free(held);
}

TEST(a_hold_that_has_no_memory_is_none)
{
    struct sl_held *held = fresh();
    const uint64_t first[] = {5};
    uint64_t job, failed;
    static const unsigned nth[] = {1, 2, 2}; /* room that is there already stays */
    for (size_t i = 0; i < sizeof(nth) / sizeof(nth[0]); i++) {
        sl_mem_fail_nth(nth[i]);
        assert_int_equal(sl_held_put(held, 8, 0, first, 1), -ENOMEM);
        sl_mem_fail_nth(0);
    }
    sl_held_ended(held, 5, true);
    assert_false(sl_held_take(held, 0, &job, &failed));
    sl_held_free(held);
}

/* Each job comes after some of a lower number; all end in a random order, each well or not. */
TEST(random_orders_hold_and_free_each_job_once)
{
    uint64_t random = 3;
    for (int round = 0; round < ROUNDS; round++) {
        struct sl_held *held = fresh();
        uint64_t after[JOBS][MOST];
        size_t counts[JOBS] = {0};
        bool ended[JOBS] = {false}, well[JOBS] = {false}, freed[JOBS] = {false};
        for (uint64_t job = 2; job < JOBS; job++) {
            counts[job] = 1 + sl_random_below(&random, MOST);
            for (size_t i = 0; i < counts[job]; i++)
                after[job][i] = 1 + sl_random_below(&random, job - 1);
            assert_int_equal(sl_held_put(held, job, 0, after[job], counts[job]), 0);
        }
        for (int left = JOBS - 1; left > 0; left--) {
            uint64_t end = 1 + sl_random_below(&random, JOBS - 1), job, failed;
            while (ended[end])
                end = end % (JOBS - 1) + 1;
            ended[end] = true;
            well[end] = sl_random_below(&random, 20) != 0;
            sl_held_ended(held, end, well[end]);
            while (sl_held_take(held, 0, &job, &failed)) {
                assert_false(freed[job]);
                freed[job] = true;
                assert_true(failed == 0 || (ended[failed] && !well[failed]));
                for (size_t i = 0; i < counts[job] && failed == 0; i++)
                    assert_true(ended[after[job][i]] && well[after[job][i]]);
            }
        }
        for (uint64_t job = 2; job < JOBS; job++)
            assert_true(freed[job]);
        sl_held_free(held);
    }
}

/* tests/unit/host/job/test_numbered.c */
#include "host/job/numbered.h"

#include <errno.h>
#include <stdbool.h>

#include "common/base/mem.h"
#include "tests/support/random.h"
#include "tests/support/test.h"

enum { NUMBERS = 300, STEPS = 100000 };

TEST(each_is_found_by_its_number_after_any_step)
{
    static char things[NUMBERS + 1];
    static bool there[NUMBERS + 1];
    struct sl_numbered table = {0};
    uint64_t random = 11;
    size_t count = 0;
    assert_null(sl_numbered_find(&table, 7));
    assert_null(sl_numbered_take(&table, 7));
    for (int step = 0; step < STEPS; step++) {
        uint64_t number = 1 + sl_random_below(&random, NUMBERS);
        if (there[number]) {
            assert_ptr_equal(sl_numbered_take(&table, number), &things[number]);
            count--;
        } else {
            assert_null(sl_numbered_find(&table, number));
            assert_int_equal(sl_numbered_reserve(&table, ++count), 0);
            sl_numbered_put(&table, number, &things[number]);
        }
        there[number] = !there[number];
        assert_int_equal(table.count, count);
        number = 1 + sl_random_below(&random, NUMBERS);
        assert_ptr_equal(sl_numbered_find(&table, number), there[number] ? &things[number] : NULL);
    }
    sl_numbered_fini(&table);
}

TEST(one_that_cannot_grow_stays_as_it_was)
{
    struct sl_numbered table = {0};
    assert_int_equal(sl_numbered_reserve(&table, 1), 0);
    size_t room = table.room;
    sl_numbered_put(&table, 5, &table);
    sl_mem_fail_nth(1);
    assert_int_equal(sl_numbered_reserve(&table, room + 1), -ENOMEM);
    sl_mem_fail_nth(0);
    assert_int_equal(table.room, room);
    assert_ptr_equal(sl_numbered_find(&table, 5), &table);
    sl_numbered_fini(&table);
}

/* tests/unit/agent/trace/test_marks.c */
#include "agent/trace/marks.h"

#include <stdint.h>

#include "tests/support/test.h"

TEST(marks_stand_in_their_order_at_fixed_steps)
{
    uintptr_t first = (uintptr_t)sl_mark_pause;
    assert_int_equal(first % SL_MARK_STEP, 0);
    assert_int_equal((uintptr_t)sl_mark_resume - first, SL_MARK_STEP);
    assert_int_equal((uintptr_t)sl_mark_begin - first, 2 * SL_MARK_STEP);
    assert_int_equal((uintptr_t)sl_mark_end - first, 3 * SL_MARK_STEP);
    assert_int_equal((uintptr_t)sl_mark_zero - first, 4 * SL_MARK_STEP);
    assert_int_equal((uintptr_t)sl_mark_one - first, 5 * SL_MARK_STEP);
    sl_mark_pause();
    sl_mark_begin();
    sl_mark_end();
    sl_mark_resume();
}

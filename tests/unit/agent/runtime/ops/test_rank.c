/* tests/unit/agent/runtime/ops/test_rank.c: equals stand where ExecuTorch has them. The indices
 * expected are those of PyTorch 2.13 and ExecuTorch 1.5.1 for the same numbers. */
#include <math.h>

#include "tests/support/unit.h"

#include "agent/runtime/ops/rank.h"

enum { COUNT = 24, KEPT = 6, LONG = 3000 };
static const struct sl_rank_order largest = {.whole = true, .largest = true},
                                  smallest = {.whole = true};

/* Five different numbers. */
static struct sl_ranked tied(int64_t i)
{
    return (struct sl_ranked){.value.whole = (i * i * 7 + i * 3) % 5, .index = i};
}

TEST(equals_are_selected_in_executorchs_order)
{
    static const int64_t first[KEPT] = {17, 12, 9, 14, 7, 19}, last[KEPT] = {15, 6, 16, 1, 10, 11};
    struct sl_ranked all[COUNT];
    for (int turn = 0; turn < 2; turn++) {
        for (int64_t i = 0; i < COUNT; i++)
            all[i] = tied(i);
        sl_rank_select(turn == 0 ? &largest : &smallest, all, COUNT, KEPT, true);
        for (size_t i = 0; i < KEPT; i++)
            assert_int_equal(all[i].index, turn == 0 ? first[i] : last[i]);
    }
}

TEST(a_heap_keeps_equals_in_executorchs_order)
{
    struct sl_ranked heap[2] = {tied(0), tied(1)};
    sl_rank_heap(&largest, heap, 2);
    for (int64_t i = 2; i < 130; i++)
        sl_rank_offer(&largest, heap, 2, tied(i));
    sl_rank_sort_heap(&largest, heap, 2);
    assert_int_equal(heap[0].index, 4);
    assert_int_equal(heap[1].index, 2);
}

/* An order of numbers in which the median of three is always a bad pivot. */
TEST(numbers_against_the_pivot_are_ordered_by_a_heap)
{
    static struct sl_ranked all[LONG];
    const int64_t half = LONG / 2;
    for (int64_t i = 0; i < half; i++) {
        all[i].value.whole = i % 2 == 0 ? i + 1 : half + i;
        all[half + i].value.whole = 2 * (i + 1);
    }
    sl_rank_select(&smallest, all, LONG, LONG - 10, true);
    for (size_t i = 1; i < LONG; i++)
        if (i < LONG - 10)
            assert_true(all[i - 1].value.whole <= all[i].value.whole);
        else
            assert_true(all[i].value.whole >= all[LONG - 11].value.whole);
}

TEST(a_nan_is_larger_than_any_number)
{
    const struct sl_rank_order reals = {.largest = true};
    struct sl_ranked all[] = {{.value.real = (double)INFINITY}, {.value.real = (double)NAN, 1}};
    sl_rank_select(&reals, all, 2, 2, true);
    assert_int_equal(all[0].index, 1);
}

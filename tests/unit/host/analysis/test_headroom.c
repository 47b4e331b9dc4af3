/* tests/unit/host/analysis/test_headroom.c */
#include "host/analysis/headroom.h"

#include <math.h>

#include "tests/support/unit.h"

#include "host/analysis/attribution.h"
#include "host/analysis/comparison.h"

TEST(each_operator_takes_the_cheaper_way_where_both_have_it)
{
    struct sl_operator op = {.name = "x", .name_len = 1};
    struct sl_operator_shift rows[] = {
        {.baseline = &op, .candidate = &op, .baseline_cost = 500, .candidate_cost = 100},
        {.baseline = &op, .candidate = &op, .baseline_cost = 200, .candidate_cost = 300},
        {.baseline = &op, .candidate = &op, .baseline_cost = 200, .candidate_cost = 150},
        {.baseline = &op, .baseline_cost = 100}};
    struct sl_comparison c = {
        .operators = rows, .operator_count = 4, .whole_baseline = 1000, .whole_candidate = 550};
    struct sl_headroom h;
    sl_headroom_find(&c, &h);
    assert_true(h.reachable == 550 && h.baseline == 1000 && h.candidate == 550);
    assert_ptr_equal(h.widest, &rows[0]);
    c.operator_count = 0;
    sl_headroom_find(&c, &h);
    assert_true(h.reachable == 1000);
    assert_null(h.widest);
    c.whole_baseline = NAN;
    sl_headroom_find(&c, &h);
    assert_true(isnan(h.reachable));
}

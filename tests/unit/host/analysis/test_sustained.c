/* tests/unit/host/analysis/test_sustained.c */
#include "host/analysis/sustained.h"

#include <math.h>

#include "tests/support/unit.h"

#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "host/analysis/attribution.h"

enum { RUNS = 105 };

static struct sl_attribution_run runs[2][RUNS];

/* Five warm-ups, then 100 runs a second apart; side 1 begins half a second later and, `slowing`,
 * takes twice as long in its second half. */
static struct sl_attribution fill(int side, bool slowing)
{
    for (size_t i = 0; i < RUNS; i++) {
        runs[side][i] = (struct sl_attribution_run){.warmup = i < 5, .end_to_end = 1000};
        runs[side][i].started = 7000000000 + i * 1000000000 + (side ? 500000000 : 0);
        if (slowing && i >= 55)
            runs[side][i].end_to_end = 2000;
    }
    return (struct sl_attribution){.unit = SL_TRACE_NS, .runs = runs[side], .run_count = RUNS};
}

TEST(speed_that_is_lost_is_found_with_its_time)
{
    struct sl_attribution off = fill(0, false);
    struct sl_attribution on = fill(1, true);
    struct sl_sustained s;
    assert_int_equal(sl_sustained_make(&off, &on, &s), 0);
    assert_int_equal(s.count, SL_SUSTAINED_PIECES);
    assert_true(s.kept[0] == 1 && s.kept[1] == 0.5);
    assert_true(s.pieces[0].seconds == 5 && s.pieces[9].seconds == 95);
    assert_true(s.pieces[4].medians[1] == 1000 && s.pieces[5].medians[1] == 2000);
}

TEST(few_runs_have_no_pieces_and_counts_no_seconds)
{
    struct sl_attribution off = fill(0, false);
    struct sl_attribution on = fill(1, false);
    struct sl_sustained s;
    off.unit = on.unit = SL_TRACE_INSTRUCTIONS;
    assert_int_equal(sl_sustained_make(&off, &on, &s), 0);
    assert_true(isnan(s.pieces[3].seconds) && s.kept[1] == 1);
    on.run_count = 35; /* 30 measured */
    assert_int_equal(sl_sustained_make(&off, &on, &s), 0);
    assert_true(s.count == 6 && s.kept[0] == 1 && s.kept[1] == 1);
    on.run_count = SL_SUSTAINED_MIN_RUNS + 4;
    assert_int_equal(sl_sustained_make(&off, &on, &s), 0);
    assert_int_equal(s.count, 0);
    assert_true(isnan(s.kept[0]));
    on.run_count = 0;
    assert_int_equal(sl_sustained_make(&off, &on, &s), 0);
}

TEST(pieces_survive_each_failed_allocation)
{
    struct sl_attribution off = fill(0, false);
    struct sl_attribution on = fill(1, false);
    struct sl_sustained s;
    int rc = -12;
    for (unsigned nth = 1; rc == -12; nth++) {
        sl_mem_fail_nth(nth);
        rc = sl_sustained_make(&off, &on, &s);
    }
    assert_int_equal(rc, 0);
}

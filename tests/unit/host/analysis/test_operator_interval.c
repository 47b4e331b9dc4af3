/* tests/unit/host/analysis/test_operator_interval.c: interleaved pairs of two operators, the first
 * of which a candidate makes cheaper. */
#include "host/analysis/operator_interval.h"

#include <math.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "host/analysis/attribution.h"
#include "host/analysis/comparison.h"
#include "host/analysis/random.h"
#include "tests/support/test.h"

enum { PAIRS = 24, OPERATORS = 2 };

struct side {
    struct sl_attribution a;
    struct sl_attribution_run runs[PAIRS];
    struct sl_operator operators[OPERATORS];
    uint32_t event_operators[PAIRS * OPERATORS];
    int64_t event_self[PAIRS * OPERATORS];
    struct sl_position positions[OPERATORS];
};

static struct side sides[2];

/* Pair by pair: `first` and `second` nanoseconds, give or take 5 %, under a drift of 1 % a pair. */
static void fill(struct side *side, uint64_t seed, double first, double second, bool places)
{
    static const char *const names[] = {"Convolution", "Add"};
    struct sl_random random = {seed};
    *side = (struct side){.a = {.unit = SL_TRACE_NS, .by_origin = true, .traced = true}};
    side->a.runs = side->runs;
    side->a.run_count = side->a.measured_count = PAIRS;
    side->a.operators = side->operators;
    side->a.operator_count = OPERATORS;
    side->a.event_operators = side->event_operators;
    side->a.event_self = side->event_self;
    side->a.positions = side->positions;
    side->a.position_count = places ? OPERATORS : 0;
    for (size_t o = 0; o < OPERATORS; o++) {
        side->operators[o] = (struct sl_operator){.name = names[o],
                                                  .name_len = (uint32_t)strlen(names[o]),
                                                  .instances = 1,
                                                  .count = PAIRS};
        side->positions[o].operator_index = (uint32_t)o;
    }
    for (size_t e = 0; e < (size_t)PAIRS * OPERATORS; e++) {
        double noise = 1 + ((double)sl_random_below(&random, 101) - 50) / 1000;
        double cost = (e % OPERATORS ? second : first) * (1 + 0.01 * (double)(e / OPERATORS));
        side->event_operators[e] = e % OPERATORS;
        side->event_self[e] = (int64_t)(cost * noise);
        side->operators[e % OPERATORS].total += side->event_self[e];
        side->positions[e % OPERATORS].total += side->event_self[e];
        side->runs[e / OPERATORS].end_to_end += side->event_self[e];
    }
    for (uint32_t i = 0; i < PAIRS; i++) {
        side->runs[i].pair = i;
        side->runs[i].first_event = (size_t)i * OPERATORS;
        side->runs[i].event_count = OPERATORS;
    }
}

static void compare(bool places, struct sl_comparison *out)
{
    struct sl_comparison_options options = {.seed = 9, .iterations = 1000, .noise_floor = NAN};
    fill(&sides[0], 21, 1e6, 5e5, places);
    fill(&sides[1], 22, 7e5, 5e5, places);
    assert_int_equal(sl_comparison_make(&sides[0].a, &sides[1].a, &options, out), 0);
}

static void check_rows(const struct sl_comparison *c)
{
    const struct sl_operator_shift *cheaper = &c->operators[0];
    const struct sl_operator_shift *same = &c->operators[1];
    assert_int_equal(c->operator_count, OPERATORS);
    double delta = cheaper->candidate_cost - cheaper->baseline_cost;
    assert_true(cheaper->delta_low < delta && delta < cheaper->delta_high);
    assert_true(cheaper->delta_high < 0);
    assert_true(fabs(cheaper->p - 2 * pow(0.5, PAIRS)) < 1e-12); /* cheaper in every pair */
    assert_true(fabs(cheaper->q - 2 * cheaper->p) < 1e-12);      /* the smaller of two */
    assert_true(same->delta_low < 0 && same->delta_high > 0);
    assert_true(same->q > SL_OPERATOR_FALSE_DISCOVERIES);
}

TEST(changed_operator_is_told_from_one_that_did_not)
{
    struct sl_comparison c;
    compare(true, &c);
    check_rows(&c);
    sl_comparison_fini(&c);
    compare(false, &c);
    check_rows(&c);
    sl_comparison_fini(&c);
}

/* Renamed on one side: its cost is set against nothing, so both rows are certain. */
TEST(operator_of_one_side_alone_is_a_certain_change)
{
    struct sl_comparison c;
    struct sl_comparison_options options = {.seed = 9, .iterations = 200, .noise_floor = NAN};
    fill(&sides[0], 21, 1e6, 5e5, false);
    fill(&sides[1], 22, 7e5, 5e5, false);
    sides[1].operators[1].name = "Sub";
    assert_int_equal(sl_comparison_make(&sides[0].a, &sides[1].a, &options, &c), 0);
    assert_int_equal(c.operator_count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct sl_operator_shift *row = &c.operators[i];
        assert_true(row->q <= SL_OPERATOR_FALSE_DISCOVERIES);
        assert_true(row->candidate ? row->baseline || row->delta_low > 0 : row->delta_high < 0);
    }
    sl_comparison_fini(&c);
}

/* Counted runs need no interval; recordings apart have no pairs. */
TEST(without_interleaved_times_there_are_no_rates)
{
    struct sl_comparison c;
    struct sl_comparison_options options = {.seed = 9, .noise_floor = NAN, .separate = true};
    fill(&sides[0], 21, 1e6, 5e5, true);
    fill(&sides[1], 22, 7e5, 5e5, true);
    assert_int_equal(sl_comparison_make(&sides[0].a, &sides[1].a, &options, &c), 0);
    assert_true(isnan(c.operators[0].q) && isnan(c.operators[0].delta_low));
    sl_comparison_fini(&c);
    options.separate = false;
    sides[0].a.unit = sides[1].a.unit = SL_TRACE_INSTRUCTIONS;
    assert_int_equal(sl_comparison_make(&sides[0].a, &sides[1].a, &options, &c), 0);
    assert_true(isnan(c.operators[0].q));
    sl_comparison_fini(&c);
    sides[0].a.unit = SL_TRACE_NS; /* one side counted, the other timed */
    assert_int_equal(sl_comparison_make(&sides[0].a, &sides[1].a, &options, &c), 0);
    assert_int_equal(c.verdict, SL_VERDICT_INCOMPARABLE);
    assert_true(isnan(c.operators[0].q));
    sl_comparison_fini(&c);
}

TEST(intervals_survive_each_failed_allocation)
{
    int rc = -12;
    fill(&sides[0], 21, 1e6, 5e5, true);
    fill(&sides[1], 22, 7e5, 5e5, true);
    for (unsigned nth = 1; rc == -12; nth++) {
        struct sl_comparison c;
        struct sl_comparison_options options = {.seed = 9, .iterations = 50, .noise_floor = NAN};
        sl_mem_fail_nth(nth);
        rc = sl_comparison_make(&sides[0].a, &sides[1].a, &options, &c);
        if (rc == 0)
            sl_comparison_fini(&c);
    }
    assert_int_equal(rc, 0);
}

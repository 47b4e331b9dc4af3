/* tests/unit/host/report/test_plot_histogram.c */
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/format/sltrace.h"
#include "host/report/analysis.h"
#include "host/report/comparison.h"
#include "host/report/markup.h"
#include "host/report/plot.h"
#include "host/report/report.h"
#include "tests/support/test.h"

enum { RUNS = 20, FAST_NS = 1000000, SLOW_NS = 3000000 };

static struct sl_attribution_run runs[2][RUNS + 1];
static struct sl_analysis sides[2];

/* One warm-up, then as many fast runs as are asked for; the rest is slow. */
static void measure(int side, size_t fast, size_t count)
{
    struct sl_analysis *a = &sides[side];
    runs[side][0] = (struct sl_attribution_run){.warmup = true, .end_to_end = FAST_NS};
    for (size_t i = 1; i <= count; i++)
        runs[side][i] = (struct sl_attribution_run){.end_to_end = i <= fast ? FAST_NS : SLOW_NS};
    a->attribution =
        (struct sl_attribution){.unit = SL_TRACE_NS, .runs = runs[side], .run_count = count + 1};
    a->latency = (struct sl_statistics){.n = count,
                                        .min = fast > 0 ? FAST_NS : SLOW_NS,
                                        .max = fast < count ? SLOW_NS : FAST_NS,
                                        .median = 2 * fast > count ? FAST_NS : SLOW_NS};
}

/* Returns whether there is something to draw, which `out` has then. */
static bool draw(struct sl_buf *out)
{
    const struct sl_comparison_report compared = {.baseline = &sides[0], .candidate = &sides[1]};
    const struct sl_report report = {.comparison = &compared};
    struct sl_markup m = {.out = out};
    sl_buf_init(out, 1 << 16);
    sl_plot_histogram(&m, &report);
    assert_int_equal(m.error, 0);
    assert_int_equal(sl_buf_append(out, "", 1), 0);
    assert_int_equal(sl_plot_histogram_wanted(&report), out->size > 1);
    return out->size > 1;
}

static size_t count_of(const struct sl_buf *page, const char *words)
{
    size_t count = 0;
    for (const char *at = (const char *)page->data; (at = strstr(at, words)) != NULL; at++)
        count++;
    return count;
}

TEST(each_side_has_a_bar_where_it_was_measured)
{
    struct sl_buf out;
    measure(0, 5, RUNS);
    measure(1, RUNS, RUNS);
    assert_true(draw(&out));
    assert_int_equal(count_of(&out, "fill=\"#e69f00\""), 2); /* fast and slow */
    assert_int_equal(count_of(&out, "fill=\"#0072b2\""), 1);
    assert_int_equal(count_of(&out, ">15 runs<"), 1); /* the tallest: a warm-up is in none */
    assert_int_equal(count_of(&out, ">20 runs<"), 1);
    assert_int_equal(count_of(&out, ">SME2 off<"), 1);
    assert_int_equal(count_of(&out, ">1.000 ms<"), 1); /* one scale for both */
    assert_int_equal(count_of(&out, ">3.000 ms<"), 1);
    assert_int_equal(count_of(&out, "M450.0 26.0V"), 1); /* the medians, at its ends */
    assert_int_equal(count_of(&out, "M70.0 126.0V"), 1);
    sl_buf_fini(&out);
}

TEST(few_runs_are_not_drawn)
{
    struct sl_buf out;
    measure(0, 5, RUNS);
    measure(1, RUNS, RUNS - 1);
    assert_false(draw(&out));
    sl_buf_fini(&out);
}

TEST(runs_that_are_all_the_same_are_not_drawn)
{
    struct sl_buf out;
    measure(0, RUNS, RUNS);
    measure(1, RUNS, RUNS);
    assert_false(draw(&out));
    sl_buf_fini(&out);
}

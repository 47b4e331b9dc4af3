/* tests/unit/host/report/test_plot_time.c: one long run in pieces, as a plot and as a table. */
#include <string.h>

#include "common/base/buf.h"
#include "common/format/sltrace.h"
#include "host/analysis/comparison.h"
#include "host/report/analysis.h"
#include "host/report/comparison.h"
#include "host/report/markup.h"
#include "host/report/plot.h"
#include "host/report/report.h"
#include "host/report/table.h"
#include "tests/support/test.h"

enum { RUNS = 100 };

static struct sl_attribution_run runs[2][RUNS];
static struct sl_analysis sides[2];
static struct sl_comparison comparison;
static const struct sl_comparison_report compared = {
    .comparison = &comparison, .baseline = &sides[0], .candidate = &sides[1]};
static const struct sl_report report = {.comparison = &compared};

/* A run a second; the second side is twice as fast as the first, and loses half of that midway. */
static int set_up(void **state)
{
    (void)state;
    comparison = (struct sl_comparison){.method = SL_METHOD_PAIRED, .unit = SL_TRACE_NS};
    for (int side = 0; side < 2; side++) {
        for (uint64_t i = 0; i < RUNS; i++)
            runs[side][i] = (struct sl_attribution_run){.end_to_end = side == 0      ? 4000000
                                                                      : i < RUNS / 2 ? 2000000
                                                                                     : 4000000,
                                                        .started = 1000000000 * (i + 1)};
        sides[side].attribution =
            (struct sl_attribution){.unit = SL_TRACE_NS, .runs = runs[side], .run_count = RUNS};
    }
    return 0;
}

static const char *draw(struct sl_buf *out)
{
    struct sl_markup m = {.out = out};
    sl_buf_init(out, 1 << 16);
    sl_plot_time(&m, &report);
    assert_int_equal(m.error, 0);
    assert_int_equal(sl_buf_append(out, "", 1), 0);
    return (const char *)out->data;
}

TEST_WITH(each_side_is_a_line_that_ends_with_the_speed_it_keeps, set_up, NULL)
{
    struct sl_buf out;
    const char *page = draw(&out);
    assert_non_null(strstr(page, "medians of tenths of the run, in its order"));
    assert_non_null(strstr(page, ">100.0 %<"));
    assert_non_null(strstr(page, ">50.0 %<"));
    assert_non_null(strstr(page, ">95.0 s<")); /* the middle of the last tenth */
    assert_non_null(strstr(page, ">SME2 off<"));
    assert_non_null(strstr(page, ">SME2 on<"));
    sl_buf_fini(&out);
}

TEST_WITH(counted_runs_are_placed_by_their_order, set_up, NULL)
{
    struct sl_buf out;
    for (int side = 0; side < 2; side++)
        sides[side].attribution.unit = SL_TRACE_INSTRUCTIONS;
    comparison.unit = SL_TRACE_INSTRUCTIONS;
    const char *page = draw(&out);
    assert_non_null(strstr(page, ">piece 1<"));
    assert_non_null(strstr(page, ">piece 10<"));
    assert_null(strstr(page, "0 s<"));
    sl_buf_fini(&out);
}

TEST_WITH(a_table_has_a_row_for_each_piece, set_up, NULL)
{
    struct sl_table table;
    struct sl_buf out;
    struct sl_markup m = {.out = &out};
    sl_buf_init(&out, 1 << 16);
    assert_true(sl_report_sustained(&report, &table));
    assert_non_null(strstr(table.note, "in the end off keeps 100.0 %, on 50.0 %"));
    sl_table_md(&m, &table);
    assert_int_equal(table.error | m.error, 0);
    assert_int_equal(sl_buf_append(&out, "", 1), 0);
    assert_non_null(
        strstr((const char *)out.data, "| 5.0 | 4.000 ms | 2.000 ms | 2.000x | 100.0 % |"));
    assert_non_null(
        strstr((const char *)out.data, "| 95.0 | 4.000 ms | 4.000 ms | 1.000x | 100.0 % | 50.0 %"));
    sl_table_fini(&table);
    sl_buf_fini(&out);
}

TEST_WITH(sides_that_were_not_measured_together_have_neither, set_up, NULL)
{
    struct sl_buf out;
    struct sl_table table;
    comparison.method = SL_METHOD_UNPAIRED;
    assert_string_equal(draw(&out), "");
    sl_buf_fini(&out);
    assert_false(sl_report_sustained(&report, &table));
}

TEST_WITH(a_run_that_is_too_short_has_neither, set_up, NULL)
{
    struct sl_buf out;
    struct sl_table table;
    sides[1].attribution.run_count = 19;
    assert_string_equal(draw(&out), "");
    sl_buf_fini(&out);
    assert_false(sl_report_sustained(&report, &table));
}

/* tests/unit/host/report/test_plot_bounds.c */
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "host/report/comparison.h"
#include "host/report/markup.h"
#include "host/report/plot.h"
#include "host/report/report.h"
#include "tests/support/test.h"

/* SME2 on takes half of the time of off, and spends a quarter of it in waiting for memory. */
static const char text[] =
    "[{\"profile\":\"apple-m4\",\"units\":1,"
    "\"off\":{\"low_ns\":90,\"mid_ns\":100,\"high_ns\":110,\"spent_ns\":{\"NEON\":100}},"
    "\"on\":{\"low_ns\":40,\"mid_ns\":50,\"high_ns\":60,"
    "\"spent_ns\":{\"outer product\":37.5,\"memory\":12.5}},\"operators\":[]}]";

static void draw(const cJSON *estimates, struct sl_buf *out)
{
    const struct sl_comparison_report comparison = {.estimates = estimates};
    const struct sl_report report = {.comparison = &comparison};
    struct sl_markup m = {.out = out};
    sl_buf_init(out, 1 << 16);
    sl_plot_bounds(&m, &report);
    assert_int_equal(m.error, 0);
    assert_int_equal(sl_buf_append(out, "", 1), 0);
}

TEST(each_side_is_a_bar_of_its_own_time)
{
    cJSON *estimates = cJSON_Parse(text);
    struct sl_buf out;
    draw(estimates, &out);
    const char *page = (const char *)out.data;
    assert_non_null(strstr(page, "apple-m4, estimated: share of each side's own time"));
    assert_non_null(strstr(page, "width=\"400.00\"")); /* off: all of it NEON */
    assert_non_null(strstr(page, "width=\"300.00\""));
    assert_non_null(strstr(page, "width=\"100.00\""));
    assert_non_null(strstr(page, ">outer product<"));
    assert_non_null(strstr(page, ">NEON<"));
    assert_null(strstr(page, ">hand-over<"));
    sl_buf_fini(&out);
    cJSON_Delete(estimates);
}

TEST(without_estimates_nothing_is_drawn)
{
    struct sl_buf out;
    draw(NULL, &out);
    assert_int_equal(out.size, 1);
    sl_buf_fini(&out);
}

/* tests/unit/host/report/test_reach_report.c */
#include "host/report/reach_report.h"

#include <math.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "common/format/operands.h"
#include "common/format/sltrace.h"
#include "host/analysis/attribution.h"
#include "host/analysis/reach.h"
#include "host/report/doc.h"
#include "host/report/markup.h"
#include "host/report/table.h"
#include "tests/support/test.h"

static const struct sl_operator product = {.name = "Fully Connected", .name_len = 15};
static const struct sl_operands operands = {640, 2, {{2, {1, 64}}, {2, {10, 64}}}, {2, {1, 10}}};
static const struct sl_position at = {.origin = "FullyConnected", .operands = &operands};
static const struct sl_reach_bench bench = {.kernel = "sl_best"};

static struct sl_reach_row rows[2];
static struct sl_reach reach;
static struct sl_reach_report report;

/* 1000 instructions, 600 of them in a product that another kernel does in 200. */
static int set_up(void **state)
{
    (void)state;
    rows[0] = (struct sl_reach_row){.op = &product,
                                    .at = &at,
                                    .work = {.macs = 640, .times = 1, .bench = "matmul:1x10x64"},
                                    .bench = &bench,
                                    .now = 600,
                                    .best = 200,
                                    .gain = 400,
                                    .roof = NAN};
    rows[1] = (struct sl_reach_row){
        .op = &product, .at = &at, .now = 300, .best = NAN, .gain = NAN, .roof = NAN};
    reach = (struct sl_reach){
        .rows = rows, .count = 2, .whole = 1000, .measured = 600, .reachable = 600, .roof = NAN};
    report = (struct sl_reach_report){.reach = &reach,
                                      .unit = SL_TRACE_INSTRUCTIONS,
                                      .device = "this machine",
                                      .roofline = "none"};
    return 0;
}

static bool words_have(const char *what)
{
    char words[320];
    sl_reach_words(&report, SL_TRACE_INSTRUCTIONS, words, sizeof(words));
    return strstr(words, what) != NULL;
}

TEST_WITH(words_say_what_is_left_or_why_it_is_not_known, set_up, NULL)
{
    assert_true(words_have("40.0 % less, 1.67x (operators with 60 % of the cost have one)"));
    reach.reachable = NAN;
    assert_true(words_have("no kernel of ours takes these shapes"));
    report.unit = SL_TRACE_NS;
    assert_true(words_have("the run was timed, the kernels were counted"));
    strcpy(report.refused, "the device is away");
    assert_true(words_have("not measured: the device is away"));
    reach.count = 0;
    assert_true(words_have("No operator's shape is known"));
}

static const char *json_of(int unit, struct sl_buf *out)
{
    struct sl_json json;
    sl_buf_init(out, 1 << 16);
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    sl_reach_json(&json, &report, unit);
    sl_json_close_object(&json);
    assert_int_equal(json.error, 0);
    assert_int_equal(sl_buf_append(out, "", 1), 0);
    return (const char *)out->data;
}

TEST_WITH(an_operator_without_a_kernel_gains_nothing, set_up, NULL)
{
    struct sl_buf out;
    const char *text = json_of(SL_TRACE_INSTRUCTIONS, &out);
    assert_non_null(strstr(text, "\"measured_share\":0.6"));
    assert_non_null(strstr(text, "\"best_kernel\":\"sl_best\""));
    assert_non_null(strstr(text, "\"gain_insns\":400"));
    assert_non_null(strstr(text, "\"best_kernel\":null"));
    assert_non_null(strstr(text, "\"gain_insns\":null"));
    sl_buf_fini(&out);
}

/* A kernel that was counted says nothing of the time that it takes. */
TEST_WITH(figures_of_two_units_are_not_subtracted, set_up, NULL)
{
    struct sl_buf out;
    const char *text = json_of(SL_TRACE_NS, &out);
    assert_non_null(strstr(text, "\"now_ns\":600"));
    assert_non_null(strstr(text, "\"best_insns\":200"));
    assert_non_null(strstr(text, "\"gain_ns\":null"));
    assert_null(strstr(text, "\"gain_ns\":400"));
    sl_buf_fini(&out);
}

TEST_WITH(the_page_lists_most_to_gain_and_the_whole, set_up, NULL)
{
    struct sl_table table;
    struct sl_buf out;
    struct sl_markup m = {.out = &out};
    rows[0].work.stands_in = true;
    sl_reach_table(&report, SL_TRACE_INSTRUCTIONS, 1, &table);
    assert_non_null(strstr(table.note, "Those with most to gain are listed."));
    assert_non_null(strstr(table.note, "stands for one of its own"));
    sl_buf_init(&out, 1 << 16);
    sl_table_md(&m, &table);
    assert_int_equal(table.error | m.error, 0);
    assert_int_equal(sl_buf_append(&out, "", 1), 0);
    const char *row = strstr((const char *)out.data, "Fully Connected");
    assert_non_null(row);
    assert_null(strstr(row + 1, "Fully Connected")); /* one operator, and the sum */
    assert_non_null(strstr(row, "~ best"));
    assert_non_null(strstr((const char *)out.data, "End to end"));
    sl_table_fini(&table);
    sl_buf_fini(&out);
}

static bool terminal_shows(const char *what)
{
    struct sl_doc doc;
    struct sl_buf out;
    sl_doc_init(&doc, SL_DOC_PAGE);
    sl_reach_doc(&doc, &report, SL_TRACE_INSTRUCTIONS);
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(sl_doc_md(&out, &doc), 0);
    assert_int_equal(sl_buf_append(&out, "", 1), 0);
    bool shows = strstr((const char *)out.data, what) != NULL;
    sl_buf_fini(&out);
    sl_doc_fini(&doc);
    return shows;
}

TEST_WITH(the_document_has_a_roofline_where_one_is_known, set_up, NULL)
{
    strcpy(report.note, "it was busy");
    assert_true(terminal_shows("roofline: none; it was busy"));
    assert_true(terminal_shows("1x64"));
    assert_true(terminal_shows("none measured"));
    assert_false(terminal_shows("| roofline"));
    reach.roof = rows[0].roof = 90;
    assert_true(terminal_shows("| roofline"));
    reach.count = 0;
    assert_false(terminal_shows("none measured"));
}

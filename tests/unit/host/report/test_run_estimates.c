/* tests/unit/host/report/test_run_estimates.c */
#include "host/report/run_estimates.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "host/analysis/attribution.h"
#include "host/analysis/category.h"
#include "host/report/style.h"
#include "host/report/table.h"
#include "tests/support/test.h"

#define SIDE(low, mid, high, bound)                                                                \
    "{\"low_ns\":" #low ",\"mid_ns\":" #mid ",\"high_ns\":" #high ",\"bound\":\"" bound            \
    "\",\"spent_ns\":{\"" bound "\":" #mid "}}"

/* clang-format off */
static const char text[] =
    "[{\"profile\":\"apple-m4\",\"profile_sha256\":\"ab\",\"units\":1,"
    "\"off\":" SIDE(80, 100, 120, "NEON") ",\"on\":" SIDE(40, 50, 60, "outer product") ",\"operators\":["
    "{\"operator\":\"Small\",\"off\":" SIDE(8, 10, 12, "NEON") "},"
    "{\"operator\":\"Large, odd\",\"off\":" SIDE(72, 90, 108, "NEON") ","
    "\"on\":" SIDE(40, 50, 60, "outer product") "}]}]";
/* clang-format on */

/* One operator of either side is known; the others are code between them. */
static struct sl_operator off_op = {.name = "Small", .name_len = 5, .category = SL_CATEGORY_CONV};
static struct sl_operator on_op = {
    .name = "Large, odd", .name_len = 10, .category = SL_CATEGORY_GEMM};
static const struct sl_attribution off = {.operators = &off_op, .operator_count = 1};
static const struct sl_attribution on = {.operators = &on_op, .operator_count = 1};
static const struct sl_attribution *const names[2] = {&off, &on};

static void has(const struct sl_buf *out, const char *words)
{
    if (!strstr((const char *)out->data, words))
        fail_msg("no '%s' in %s", words, (const char *)out->data);
}

TEST(the_comparison_has_ratio_and_bounds)
{
    cJSON *estimates = cJSON_Parse(text);
    struct sl_buf out;
    struct sl_json json;
    sl_buf_init(&out, 1 << 16);
    sl_json_init(&json, &out);
    sl_json_open_object(&json, NULL);
    assert_true(sl_report_estimates_any(estimates));
    sl_report_estimates_json(&json, estimates, names);
    sl_json_close_object(&json);
    assert_int_equal(json.error, 0);
    has(&out, "\"estimate\":{\"profile\":\"apple-m4\",\"profile_sha256\":\"ab\",\"estimated\":true,"
              "\"ratio\":{\"low\":1.33");
    has(&out, "\"mid\":2,\"high\":3}");
    has(&out, "\"bound\":\"outer product\",\"share\":1");
    has(&out, "\"baseline_spent_ns\":{\"NEON\":100},"
              "\"candidate_spent_ns\":{\"outer product\":50}");
    has(&out, "\"threads\":[{\"threads\":1,\"baseline_ns\":100,\"candidate_ns\":50},"
              "{\"threads\":2,\"baseline_ns\":50,\"candidate_ns\":50},");
    has(&out, "\"crossover_threads\":2,");
    sl_buf_fini(&out);
    cJSON_Delete(estimates);
}

static void shows(const struct sl_table *table, const char *words)
{
    static const struct sl_style style = {.width = 120};
    struct sl_buf out;
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(sl_table_show(&out, &style, table), 0);
    has(&out, words);
    sl_buf_fini(&out);
}

TEST(tables_have_categories_of_either_side_and_the_largest_first)
{
    cJSON *estimates = cJSON_Parse(text);
    struct sl_table table;
    sl_report_estimates_table(estimates, names, false, &table);
    shows(&table, "CONV");
    shows(&table, "End to end");
    shows(&table, "100 ns (80 ns to 120 ns)");
    assert_non_null(strstr(table.note, "Estimated, not measured"));
    sl_table_fini(&table);
    sl_report_estimates_bounds(estimates, false, &table);
    shows(&table, "outer product");
    sl_table_fini(&table);
    sl_report_estimates_bounds(estimates, true, &table);
    shows(&table, "outer product                0.0 %   100.0 %  ####");
    sl_table_fini(&table);
    assert_true(sl_report_estimates_operators(estimates, 0, 1, true, &table));
    assert_string_equal(table.title, "Estimated time by operator on apple-m4");
    shows(&table, "Large, odd");
    sl_table_fini(&table);
    assert_false(sl_report_estimates_operators(estimates, 1, 1, true, &table));
    cJSON_Delete(estimates);
}

TEST(lines_and_csv_say_that_it_is_estimated)
{
    cJSON *estimates = cJSON_Parse(text);
    char line[256];
    struct sl_buf out;
    sl_buf_init(&out, 1 << 16);
    assert_true(sl_report_estimates_line(estimates, 0, line, sizeof(line)));
    assert_string_equal(line, "estimated on apple-m4: 100 ns -> 50 ns, ratio 2.00 (1.33 to 3.00), "
                              "then bound by outer product");
    assert_false(sl_report_estimates_line(estimates, 1, line, sizeof(line)));
    assert_true(sl_report_estimates_brief(estimates, line, sizeof(line)));
    assert_string_equal(line, "estimated time off / on: apple-m4 2.00 (1.33-3.00)");
    cJSON *side = cJSON_GetObjectItemCaseSensitive(estimates->child, "off");
    cJSON_SetNumberValue(cJSON_GetObjectItemCaseSensitive(side, "mid_ns"), 25);
    assert_true(sl_report_estimates_brief(estimates, line, sizeof(line)));
    assert_non_null(strstr(line, "estimated off/on (< 1: slower): apple-m4 0.50 ("));
    cJSON *other = cJSON_Duplicate(estimates->child, true);
    cJSON_SetValuestring(cJSON_GetObjectItemCaseSensitive(other, "profile"), "arm-c1-ultra");
    cJSON_AddItemToArray(estimates, other);
    assert_true(sl_report_estimates_brief(estimates, line, sizeof(line)));
    assert_non_null(strstr(line, "), arm-c1-ultra 0.50 ("));
    assert_in_range(strlen("ExecuTorch, ") + strlen(line), 90, 100);
    assert_int_equal(sl_report_estimates_csv(&out, estimates), 0);
    has(&out, "high_ns,bound,kind,outer_product_ns,za_multiply_accumulate_ns,");
    has(&out, ",memory_ns,mode_switch_ns,hand_over_ns\n");
    has(&out, "apple-m4,\"Large, odd\",on,40.000,50.000,60.000,outer product,estimated,50.000,");
    sl_buf_fini(&out);
    cJSON_Delete(estimates);
}

/* The unit's work takes as long on any number of the cores that share it. */
TEST(threads_divide_what_the_core_does_alone)
{
    cJSON *estimates = cJSON_Parse(text);
    struct sl_table table;
    sl_report_estimates_threads(estimates, names, &table);
    shows(&table, "apple-m4        2     50 ns    50 ns  1.00x                  2");
    shows(&table, "apple-m4        8   12.5 ns    50 ns  0.25x                  2");
    sl_table_fini(&table);
    cJSON_SetNumberValue(cJSON_GetObjectItemCaseSensitive(estimates->child, "units"), 64);
    sl_report_estimates_threads(estimates, names, &table);
    shows(&table, "over 64");
    sl_table_fini(&table);
    cJSON_Delete(estimates);
}

TEST(any_other_json_is_no_estimate)
{
    static const char *const others[] = {"{}", "[]", "[1]", "7", "[{\"off\":{\"mid_ns\":\"x\"}}]"};
    char line[256];
    assert_false(sl_report_estimates_any(NULL));
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        cJSON *estimates = cJSON_Parse(others[i]);
        assert_false(sl_report_estimates_any(estimates));
        assert_false(sl_report_estimates_line(estimates, 0, line, sizeof(line)));
        cJSON_Delete(estimates);
    }
}

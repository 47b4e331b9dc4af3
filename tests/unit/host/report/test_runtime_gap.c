/* tests/unit/host/report/test_runtime_gap.c */
#include "host/report/runtime_gap.h"

#include <string.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "common/format/sltrace.h"
#include "host/analysis/category.h"
#include "host/analysis/comparison.h"
#include "host/analysis/conditions.h"
#include "host/analysis/operators.h"
#include "host/report/comparison.h"
#include "host/report/report.h"
#include "host/report/style.h"
#include "host/report/table.h"
#include "tests/support/test.h"

enum { OPERATORS = 3 };

/* A run of one runtime: costs of a convolution, a pooling and one more operator. */
struct side {
    struct sl_operator names[OPERATORS];
    struct sl_operator_shift shifts[OPERATORS];
    struct sl_comparison comparison;
    struct sl_comparison_report report;
};

static struct sl_report make(struct side *side, const char *runtime, const char *third,
                             const double costs[OPERATORS][2])
{
    const char *const names[OPERATORS] = {"Convolution", "Max Pooling", third};
    *side = (struct side){.comparison = {.unit = SL_TRACE_INSTRUCTIONS,
                                         .operator_count = OPERATORS,
                                         .operators = side->shifts}};
    for (int i = 0; i < OPERATORS; i++) {
        side->names[i].name = names[i];
        side->names[i].name_len = (uint32_t)strlen(names[i]);
        side->shifts[i].baseline = side->shifts[i].candidate = &side->names[i];
        side->shifts[i].baseline_cost = costs[i][0];
        side->shifts[i].candidate_cost = costs[i][1];
        side->comparison.whole_baseline += costs[i][0];
        side->comparison.whole_candidate += costs[i][1];
    }
    side->report =
        (struct sl_comparison_report){.comparison = &side->comparison, .runtime = runtime};
    return (struct sl_report){.model = "m.pte", .threads = "1", .comparison = &side->report};
}

static const double theirs[OPERATORS][2] = {{9000, 3000}, {5000, 5000}, {7, 7}};
static const double ours[OPERATORS][2] = {{8000, 2500}, {800, 100}, {9, 9}};

static bool has_cell(const struct sl_table *table, const char *text)
{
    const char *cells = (const char *)table->cells.data;
    for (size_t at = 0; at < table->cells.size; at += strlen(cells + at) + 1)
        if (strcmp(cells + at, text) == 0)
            return true;
    return false;
}

TEST(the_largest_gap_comes_first_and_operators_of_one_runtime_alone_are_left_out)
{
    struct side a, b;
    struct sl_report reports[] = {make(&a, NULL, "only ours", ours),
                                  make(&b, "ExecuTorch's libraries", "only theirs", theirs)};
    assert_int_equal(sl_runtime_gap_count(reports, 2), 1);
    a.names[1].kernel = "sl_pool_sme2";
    b.comparison.categories[SL_CATEGORY_CONV].baseline = 123456;
    struct sl_buf shown;
    const struct sl_style style = {.width = 120, .operators = 12};
    sl_buf_init(&shown, 1 << 16);
    assert_int_equal(sl_runtime_gap_show(&shown, &style, reports, 2), 0);
    const char *words = (const char *)shown.data;
    const char *pooling = strstr(words, "Max Pooling"), *conv = strstr(words, "Convolution");
    assert_true(pooling && conv && pooling < conv);
    assert_non_null(strstr(pooling, "a kernel without a name; ours sl_pool_sme2"));
    assert_non_null(strstr(words, "123.5 k"));
    assert_null(strstr(words, "only"));
    shown.size = 0;
    const struct sl_style brief = {.width = 120};
    assert_int_equal(sl_runtime_gap_show(&shown, &brief, reports, 2), 0);
    assert_null(strstr((const char *)shown.data, "kernel"));
    sl_buf_fini(&shown);
    struct sl_table table;
    sl_runtime_gap_table(reports, 2, &table);
    assert_int_equal(table.error, 0);
    assert_true(has_cell(&table, "m.pte, end to end") && has_cell(&table, "Max Pooling"));
    assert_false(has_cell(&table, "only ours") || has_cell(&table, "only theirs"));
    sl_table_fini(&table);
}

TEST(json_has_each_figure_with_its_unit)
{
    struct side a, b;
    struct sl_report reports[] = {make(&a, "ExecuTorch's libraries", "x", theirs),
                                  make(&b, NULL, "x", ours)};
    struct sl_buf text;
    struct sl_json json;
    sl_buf_init(&text, 4096);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_runtime_gap_json(&json, reports, 2);
    sl_json_close_object(&json);
    assert_int_equal(json.error, 0);
    assert_int_equal(sl_buf_append(&text, "", 1), 0);
    const char *said = (const char *)text.data;
    assert_non_null(strstr(said, "\"left_insns\":4900"));
    assert_non_null(strstr(said,
                           "{\"name\":\"Max Pooling\",\"executorch\":{\"off_insns\":5000,"
                           "\"on_insns\":5000},\"own\":{\"off_insns\":800,\"on_insns\":100}"));
    sl_buf_fini(&text);
}

TEST(runs_of_other_threads_or_models_are_no_pair)
{
    struct side a, b;
    struct sl_report reports[] = {make(&a, "ExecuTorch's libraries", "x", theirs),
                                  make(&b, NULL, "x", ours)};
    reports[1].threads = "2";
    assert_int_equal(sl_runtime_gap_count(reports, 2), 0);
    reports[1].threads = "1";
    reports[1].model = "another.pte";
    assert_int_equal(sl_runtime_gap_count(reports, 2), 0);
}

static struct sl_report run_of(struct side *side, const char *runtime, const char *experiment,
                               const char *process)
{
    struct sl_report made = make(side, runtime, "x", runtime ? theirs : ours);
    made.experiment = experiment;
    made.process = process;
    return made;
}

TEST(each_experiment_and_process_has_its_own_run_beside_it)
{
    static const char *const names[][2] = {{"a_executorch_t2_p1", "a_t2_p1"},
                                           {"a_executorch_t2_p2", "a_t2_p2"},
                                           {"b_executorch", "b"},
                                           {"b_executorchs", "b_executorchs"}};
    enum { PAIRS = sizeof(names) / sizeof(names[0]) };
    struct side sides[2 * PAIRS];
    struct sl_report reports[2 * PAIRS];
    for (size_t i = 0; i < PAIRS; i++) {
        reports[i] = run_of(&sides[i], "ExecuTorch", names[i][0], NULL);
        reports[PAIRS + i] = run_of(&sides[PAIRS + i], NULL, names[i][1], NULL);
    }
    for (size_t i = 0; i < PAIRS; i++)
        assert_ptr_equal(sl_runtime_gap_ours(reports, 2 * PAIRS, i), &reports[PAIRS + i]);
    reports[PAIRS + 2].experiment = "bs"; /* no family of b, and none of b_executorchs */
    reports[PAIRS + 3].experiment = "b_executorch";
    assert_null(sl_runtime_gap_ours(reports, 2 * PAIRS, 3));
    reports[PAIRS].process = "2"; /* of one name in two directories */
    assert_null(sl_runtime_gap_ours(reports, 2 * PAIRS, 0));
}

TEST(runs_of_other_contents_or_inputs_are_no_pair)
{
    static const int compared[] = {SL_CONDITION_MODEL, SL_CONDITION_INPUTS};
    struct side a, b;
    for (size_t i = 0; i < 2; i++) {
        struct sl_conditions one = {.values = {""}}, two = one;
        struct sl_report reports[] = {run_of(&a, "ExecuTorch", "run_executorch", NULL),
                                      run_of(&b, NULL, "run", NULL)};
        reports[0].conditions = &one;
        reports[1].conditions = &two;
        assert_int_equal(sl_runtime_gap_count(reports, 2), 1);
        two.values[compared[i]][0] = 'x';
        assert_int_equal(sl_runtime_gap_count(reports, 2), 0);
    }
}

TEST(the_own_run_of_the_same_directory_is_preferred)
{
    struct side a, b, c;
    struct sl_report reports[] = {run_of(&a, NULL, "run", NULL),
                                  run_of(&b, "ExecuTorch", "run_executorch", NULL),
                                  run_of(&c, NULL, "run", NULL)};
    reports[0].directory = "before";
    reports[1].directory = "after";
    assert_ptr_equal(sl_runtime_gap_ours(reports, 2, 1), &reports[0]);
    reports[2].directory = "after";
    assert_ptr_equal(sl_runtime_gap_ours(reports, 3, 1), &reports[2]);
}

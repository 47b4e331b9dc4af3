/* tests/unit/host/report/test_report.c: pages of two real ETDumps whose figures are times. */
#include "host/report/report.h"
#include "tests/support/sme2_report.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/format/sltrace.h"
#include "host/analysis/comparison.h"
#include "host/report/analysis.h"
#include "host/report/categories_file.h"
#include "host/report/combined.h"
#include "host/report/comparison.h"
#include "host/report/markup.h"
#include "host/report/next_step.h"
#include "tests/support/test.h"

static struct {
    struct sl_categories categories;
    struct sl_buf bytes[2];
    struct sl_etdump etdumps[2];
    struct sl_analysis sides[2];
    struct sl_comparison comparison;
    struct sl_comparison_report compared;
    struct sl_report report;
} all;

static int open_report(void **state)
{
    (void)state;
    static const char *const paths[] = {
        SL_TEST_DATA "/models/toy_cnn_f32_xnnpack/aarch64-nosme.etdump",
        SL_TEST_DATA "/models/toy_cnn_f32_xnnpack/aarch64-sme2.etdump"};
    struct sl_comparison_options options = {.seed = 1, .iterations = 200, .noise_floor = NAN};
    assert_int_equal(sl_categories_load(NULL, &all.categories, NULL), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sl_buf_read_file(paths[i], 1 << 26, &all.bytes[i]), 0);
        assert_int_equal(sl_etdump_parse((struct sl_bytes){all.bytes[i].data, all.bytes[i].size},
                                         &all.etdumps[i], NULL),
                         0);
        struct sl_analysis_request request = {.file = paths[i],
                                              .etdump = &all.etdumps[i],
                                              .categories = &all.categories,
                                              .only_run = -1};
        assert_int_equal(sl_analysis_make(&request, &all.sides[i], NULL), 0);
    }
    assert_int_equal(sl_comparison_make(&all.sides[0].attribution, &all.sides[1].attribution,
                                        &options, &all.comparison),
                     0);
    all.compared = sme2_report(&all.comparison, all.sides);
    all.report = (struct sl_report){.model = "a<b>&\"c\"|d", .comparison = &all.compared};
    return 0;
}

static int close_report(void **state)
{
    (void)state;
    sl_comparison_fini(&all.comparison);
    for (int i = 0; i < 2; i++) {
        sl_analysis_fini(&all.sides[i]);
        sl_etdump_fini(&all.etdumps[i]);
        sl_buf_fini(&all.bytes[i]);
    }
    sl_categories_fini(&all.categories);
    return 0;
}

typedef int (*make_fn)(struct sl_buf *out, const struct sl_report *report);

/* The text of a page; end it with sl_buf_fini(). */
static const char *make(make_fn page, struct sl_buf *out)
{
    sl_buf_init(out, 1 << 24);
    assert_int_equal(page(out, &all.report), 0);
    return (const char *)out->data;
}

TEST(emulated_times_are_said_to_mean_nothing_on_every_page)
{
    static const make_fn pages[] = {sl_report_md, sl_report_html};
    for (size_t i = 0; i < 2; i++) {
        struct sl_buf text;
        assert_non_null(strstr(make(pages[i], &text), "mean nothing"));
        assert_non_null(strstr((const char *)text.data, "inconclusive"));
        assert_null(strstr((const char *)text.data, " nan"));
        sl_buf_fini(&text);
    }
}

TEST(texts_of_files_are_never_markup)
{
    struct sl_buf text;
    const char *page = make(sl_report_html, &text);
    assert_non_null(strstr(page, "a&lt;b&gt;&amp;&quot;c&quot;|d"));
    assert_null(strstr(page, "a<b>"));
    sl_buf_fini(&text);
    assert_non_null(strstr(make(sl_report_md, &text), "a\\<b\\>&\"c\"\\|d"));
    sl_buf_fini(&text);
    struct sl_markup m = {.out = &text};
    sl_buf_init(&text, 64);
    sl_markup_text(&m, "\xff\xc3\xa4\x01\xed\xa0\x80");
    assert_string_equal((const char *)text.data, "?\xc3\xa4????");
    sl_buf_fini(&text);
}

TEST(no_verdict_is_skipped_in_junit_and_named_as_the_next_step)
{
    struct sl_buf text;
    struct sl_next_step step;
    const char *page = make(sl_report_junit, &text);
    assert_non_null(strstr(page, "name=\"verdict\" time=\"0\"><skipped"));
    assert_non_null(strstr(page, "failures=\"0\""));
    sl_buf_fini(&text);
    sl_next_step_find(&all.compared, &step);
    assert_string_equal(step.rule, "conditions");
    all.comparison.verdict = SL_VERDICT_SLOWER;
    assert_non_null(strstr(make(sl_report_junit, &text), "name=\"verdict\" time=\"0\"><failure"));
    sl_buf_fini(&text);
    sl_next_step_find(&all.compared, &step);
    assert_string_not_equal(step.rule, "conditions");
    all.comparison.verdict = SL_VERDICT_INCONCLUSIVE;
}

TEST(a_comment_is_short_and_names_what_moved_most)
{
    struct sl_buf text;
    const char *page = make(sl_report_comment, &text);
    size_t lines = 0;
    for (const char *at = page; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    assert_true(lines <= 25);
    assert_non_null(strstr(page, "\n- Convolution "));
    assert_non_null(strstr(page, "Next: "));
    sl_buf_fini(&text);
}

TEST(sides_of_an_import_carry_their_names_everywhere)
{
    static const make_fn pages[] = {sl_report_md, sl_report_html, sl_report_comment};
    strcpy(all.report.names[0], "phone-a");
    strcpy(all.report.names[1], "phone-b");
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        struct sl_buf text;
        assert_non_null(strstr(make(pages[i], &text), "phone-b"));
        assert_null(strstr((const char *)text.data, "SME2 off"));
        sl_buf_fini(&text);
    }
    all.report.names[0][0] = all.report.names[1][0] = '\0';
}

TEST(comparisons_side_by_side_are_told_apart_by_what_differs)
{
    struct sl_report two[] = {all.report, all.report};
    const struct sl_combined combined = {two, 2};
    char text[256];
    struct sl_buf page;
    two[0].threads = "1";
    two[1].threads = "4";
    two[0].device = two[1].device = "one \"phone\"";
    sl_combined_label(&combined, 1, text, sizeof(text));
    assert_string_equal(text, "4 threads");
    sl_combined_summary(&combined, text, sizeof(text));
    assert_string_equal(text, "2 comparisons of 1 model on 1 device: 2 inconclusive");
    sl_buf_init(&page, 1 << 20);
    assert_int_equal(sl_combined_csv(&page, &combined), 0);
    assert_non_null(
        strstr((const char *)page.data, "\n\"a<b>&\"\"c\"\"|d\",\"one \"\"phone\"\"\",4,,ns,"));
    sl_buf_fini(&page);
}

/* One experiment on 1 and 4 threads, whose ratio falls from 2 to 1/2. */
TEST(numbers_of_threads_are_told_together_with_their_crossover)
{
    struct sl_comparison comparisons[3] = {all.comparison, all.comparison, all.comparison};
    struct sl_comparison_report compared[3];
    struct sl_report reports[3];
    static const char *const names[] = {"sweep_t4", "sweep_t1", "other"};
    static const char *const threads[] = {"4", "1", "1"};
    for (size_t i = 0; i < 3; i++) {
        comparisons[i].baseline = i == 0 ? 100 : 400;
        comparisons[i].candidate = 200;
        comparisons[i].ratio = i == 0 ? 0.5 : 2;
        comparisons[i].low = comparisons[i].ratio - 0.1;
        comparisons[i].high = comparisons[i].ratio + 0.1;
        compared[i] = all.compared;
        compared[i].comparison = &comparisons[i];
        reports[i] = all.report;
        reports[i].comparison = &compared[i];
        reports[i].experiment = names[i];
        reports[i].threads = threads[i];
    }
    const struct sl_combined combined = {reports, 3};
    struct sl_buf text;
    assert_int_equal(sl_combined_sweep_count(&combined), 1);
    sl_buf_init(&text, 1 << 24);
    assert_int_equal(sl_combined_md(&text, &combined), 0);
    const char *page = (const char *)text.data;
    assert_non_null(strstr(page, "SME2 stops paying between 1 and 4 threads, at about 2.0"));
    assert_non_null(strstr(page, "contention"));
    assert_non_null(strstr(page, "mean nothing"));
    sl_buf_fini(&text);
    sl_buf_init(&text, 1 << 24);
    assert_int_equal(sl_combined_json(&text, &combined), 0);
    assert_non_null(strstr((const char *)text.data, "\"crossing\":\"crosses\""));
    sl_buf_fini(&text);
    comparisons[0].verdict = SL_VERDICT_WRONG; /* then there is nothing to tell it from */
    assert_int_equal(sl_combined_sweep_count(&combined), 0);
}

/* One experiment on a thread beside none and three other processes: on takes twice as long. */
TEST(numbers_of_processes_are_told_together_with_their_contention)
{
    struct sl_comparison comparisons[2] = {all.comparison, all.comparison};
    struct sl_comparison_report compared[2] = {all.compared, all.compared};
    struct sl_report reports[2] = {all.report, all.report};
    for (size_t i = 0; i < 2; i++) {
        comparisons[i].baseline = 400;
        comparisons[i].candidate = i == 0 ? 200 : 400;
        comparisons[i].ratio = comparisons[i].baseline / comparisons[i].candidate;
        comparisons[i].low = comparisons[i].ratio - 0.1;
        comparisons[i].high = comparisons[i].ratio + 0.1;
        compared[i].comparison = &comparisons[i];
        reports[i].comparison = &compared[i];
        reports[i].experiment = i == 0 ? "map_t1_p1" : "map_t1_p4";
        reports[i].threads = "1";
        reports[i].processes = i == 0 ? "" : "4";
    }
    const struct sl_combined combined = {reports, 2};
    struct sl_buf text;
    assert_int_equal(sl_combined_sweep_count(&combined), 0);
    assert_int_equal(sl_combined_contention_count(&combined), 1);
    sl_buf_init(&text, 1 << 24);
    assert_int_equal(sl_combined_md(&text, &combined), 0);
    const char *page = (const char *)text.data;
    assert_non_null(strstr(page, "with 4 processes off takes 1.00x as long as with 1, on 2.00x; "
                                 "the ratio goes from 2.000x to 1.000x: contention"));
    assert_non_null(strstr(page, "(rule contention)"));
    sl_buf_fini(&text);
    sl_buf_init(&text, 1 << 24);
    assert_int_equal(sl_combined_html(&text, &combined), 0);
    page = strstr((const char *)text.data, "<title>Contention: threads by processes");
    assert_non_null(page);
    assert_non_null(strstr(page, ">ratio off / on<"));
    sl_buf_fini(&text);
    sl_buf_init(&text, 1 << 24);
    assert_int_equal(sl_combined_json(&text, &combined), 0);
    assert_non_null(strstr((const char *)text.data, "\"loss\":2,\"contention\":true"));
    sl_buf_fini(&text);
}

TEST(a_combined_page_takes_no_markup_and_no_half_page)
{
    static int (*const pages[])(struct sl_buf *out, const struct sl_combined *combined) = {
        sl_combined_md, sl_combined_html, sl_combined_json, sl_combined_csv};
    const struct sl_combined combined = {&all.report, 1};
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        struct sl_buf text;
        sl_buf_init(&text, 1 << 20);
        assert_int_equal(pages[i](&text, &combined), 0);
        if (pages[i] == sl_combined_html)
            assert_null(strstr((const char *)text.data, "a<b>"));
        assert_null(strstr((const char *)text.data, "nan"));
        sl_buf_fini(&text);
        sl_buf_init(&text, 60);
        assert_true(pages[i](&text, &combined) < 0);
        sl_buf_fini(&text);
    }
}

static size_t count(const char *text, const char *words)
{
    size_t found = 0;
    while ((text = strstr(text, words)) != NULL) {
        text += strlen(words);
        found++;
    }
    return found;
}

/* Equal figures are one row, and that counts are no time is said once. */
TEST(counts_have_one_row_and_one_warning)
{
    struct sl_statistics kept[2] = {all.sides[0].latency, all.sides[1].latency};
    struct sl_buf text;
    for (int i = 0; i < 2; i++)
        all.sides[i].latency =
            (struct sl_statistics){.n = 2, .median = 7, .mean = 7, .min = 7, .max = 7};
    all.comparison.unit = SL_TRACE_INSTRUCTIONS;
    all.comparison.method = SL_METHOD_EXACT;
    all.comparison.verdict = SL_VERDICT_FASTER;
    all.comparison.ratio = 2;
    all.compared.svl_bits = 256;
    all.compared.emulated = true;
    const char *page = make(sl_report_html, &text);
    assert_int_equal(count(page, ">Every run the same<"), 1);
    assert_int_equal(count(page, ">Median<"), 0);
    assert_int_equal(count(page, "not time"), 1);
    assert_non_null(strstr(page, "executes 2.000x fewer instructions than SME2 off, at SVL 256 "
                                 "(not speed)"));
    sl_buf_fini(&text);
    page = make(sl_report_md, &text);
    assert_int_equal(count(page, "not time"), 1);
    sl_buf_fini(&text);
    all.comparison.unit = SL_TRACE_NS;
    all.comparison.method = SL_METHOD_UNPAIRED;
    all.comparison.verdict = SL_VERDICT_INCONCLUSIVE;
    all.compared.svl_bits = 0;
    for (int i = 0; i < 2; i++)
        all.sides[i].latency = kept[i];
}

/* Verdict, device, vectors, type and next step stand before the first table. */
TEST(what_matters_is_on_the_first_screen)
{
    struct sl_buf text;
    all.report.device = "phone<7>";
    all.compared.svl_bits = 512;
    const char *page = make(sl_report_html, &text);
    const char *table = strstr(page, "<section");
    static const char *const wanted[] = {"<div class=\"verdict ", "<dd>phone&lt;7&gt;</dd>",
                                         "<dd>512 bits</dd>", "<dd>f32</dd>", "<b>Next:</b> "};
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        const char *at = strstr(page, wanted[i]);
        assert_non_null(at);
        assert_true(at < table);
    }
    sl_buf_fini(&text);
    all.report.device = NULL;
    all.compared.svl_bits = 0;
    all.report.facts[0] = (struct sl_report_fact){SL_REPORT_VECTORS, "1024 bits"}; /* of times */
    all.report.fact_count = 1;
    page = make(sl_report_html, &text);
    assert_non_null(strstr(page, "<dd>1024 bits</dd>"));
    sl_buf_fini(&text);
    all.report.fact_count = 0;
}

/* Letters and lines take the page's colour; what has a fixed one shows on dark pages too. */
TEST(charts_are_narrow_and_show_on_a_dark_page)
{
    struct sl_buf text;
    const char *page = make(sl_report_html, &text);
    assert_non_null(strstr(page, "prefers-color-scheme:dark"));
    assert_non_null(strstr(page, "viewBox=\"0 0 460 "));
    assert_null(strstr(page, "fill=\"#111\""));
    assert_null(strstr(page, "stroke=\"#111\""));
    assert_int_equal(count(page, "<svg "), count(page, "fill=\"currentColor\">"));
    sl_buf_fini(&text);
}

TEST(a_full_buffer_is_an_error_and_not_half_a_page)
{
    static const make_fn pages[] = {sl_report_md, sl_report_html, sl_report_junit, sl_report_csv,
                                    sl_report_comment};
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        struct sl_buf text;
        sl_buf_init(&text, 100);
        assert_true(pages[i](&text, &all.report) < 0);
        sl_buf_fini(&text);
    }
}

TEST_GROUP(open_report, close_report);

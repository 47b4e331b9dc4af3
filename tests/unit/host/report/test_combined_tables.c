/* tests/unit/host/report/test_combined_tables.c: several reports on one page. */
#include "host/report/combined.h"

#include "host/report/markup.h"
#include "host/report/next_step.h"
#include "tests/support/report_case.h"

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

TEST(a_headline_of_counts_has_its_vector_length_and_is_no_speed)
{
    struct sl_comparison counted = all.comparison;
    struct sl_comparison_report compared[2];
    struct sl_report two[] = {all.report, all.report};
    const struct sl_combined combined = {two, 2};
    char text[512];
    counted.unit = SL_TRACE_INSTRUCTIONS;
    counted.method = SL_METHOD_EXACT;
    counted.verdict = SL_VERDICT_FASTER;
    counted.ratio = 2;
    for (size_t i = 0; i < 2; i++) {
        compared[i] = *all.report.comparison;
        compared[i].comparison = &counted;
        compared[i].svl_bits = 512;
        two[i].comparison = &compared[i];
        two[i].threads = i ? "4" : "1";
    }
    sl_combined_summary(&combined, text, sizeof(text));
    assert_string_equal(text, "2 comparisons of 1 model: 2 fewer-instructions (1 thread 2.000x, 4 "
                              "threads 2.000x; at SVL 512, not speed)");
    compared[1].svl_bits = 128;
    sl_combined_summary(&combined, text, sizeof(text));
    assert_non_null(strstr(text, "4 threads 2.000x; not speed)"));
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
        reports[i].experiment = i == 0 ? "map_t1_c1" : "map_t1_c4";
        reports[i].threads = "1";
        reports[i].concurrency = i == 0 ? "" : "4";
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

TEST_GROUP(open_report, close_report);

/* tests/unit/host/report/test_combined_findings.c: what several numbers of threads, and an arm
 * without the recording of operators, say beside each other: in words, pages and JSON. */
#include "common/base/error.h"
#include "host/report/combined.h"
#include "host/report/style.h"

#include "tests/support/report_case.h"

static const char *const threads[] = {"1", "2", "4"};

/* Three runs of the same figures with 1, 2 and 4 threads, and one more, whose operators were not
 * recorded. */
static struct sl_combined arms(struct sl_report reports[4])
{
    for (size_t i = 0; i < 4; i++) {
        reports[i] = all.report;
        reports[i].model = "net";
        reports[i].device = "phone";
        reports[i].threads = threads[i % 3];
        reports[i].experiment = "sweep";
    }
    reports[3].clean = true;
    reports[3].experiment = "clean";
    return (struct sl_combined){reports, 4};
}

TEST(a_sweep_of_threads_is_found_and_told)
{
    struct sl_report reports[4];
    struct sl_combined combined = arms(reports);
    struct sl_buf text;
    combined.count = 3;
    assert_int_equal(sl_combined_sweep_count(&combined), 1);
    sl_buf_init(&text, 1 << 20);
    assert_int_equal(sl_combined_findings(&text, NULL, &combined), 0);
    assert_non_null(strstr((const char *)text.data, "threads"));
    sl_buf_fini(&text);
    reports[1].device = reports[2].device = "another"; /* then the first is alone */
    reports[2].model = "other";
    sl_buf_init(&text, 1 << 20);
    assert_int_equal(sl_combined_sweep_count(&combined), 0);
    assert_int_equal(sl_combined_findings(&text, NULL, &combined), 0);
    assert_int_equal(text.size, 0);
    sl_buf_fini(&text);
}

TEST(what_recording_costs_is_told_of_the_clean_arm_alone)
{
    struct sl_report reports[4];
    struct sl_combined combined = arms(reports);
    char words[256] = "";
    assert_int_equal(sl_combined_cost_count(&combined), 1);
    assert_true(sl_combined_cost_words(&combined, 3, words, sizeof(words)));
    assert_true(words[0] != '\0');
    assert_false(sl_combined_cost_words(&combined, 0, words, sizeof(words)));
    reports[3].threads = "8"; /* nothing was recorded so */
    assert_int_equal(sl_combined_cost_count(&combined), 0);
    assert_false(sl_combined_cost_words(&combined, 3, words, sizeof(words)));
}

TEST(pages_and_json_have_the_sweep_and_the_cost)
{
    struct sl_report reports[4];
    struct sl_combined combined = arms(reports);
    struct sl_buf text;
    sl_buf_init(&text, 1 << 24);
    assert_int_equal(sl_combined_html(&text, &combined), 0);
    assert_non_null(strstr((const char *)text.data, "<svg"));
    sl_buf_fini(&text);
    sl_buf_init(&text, 1 << 24);
    assert_int_equal(sl_combined_md(&text, &combined), 0);
    sl_buf_fini(&text);
    sl_buf_init(&text, 1 << 24);
    assert_int_equal(sl_combined_json(&text, &combined), 0);
    assert_non_null(strstr((const char *)text.data, "\"sweeps\":[{"));
    assert_non_null(strstr((const char *)text.data, "\"profiling_cost\":[{"));
    sl_buf_fini(&text);
}

TEST(a_page_that_has_no_room_is_an_error_and_not_half_a_page)
{
    struct sl_report reports[4];
    struct sl_combined combined = arms(reports);
    struct sl_buf text;
    sl_buf_init(&text, 100);
    assert_int_equal(sl_combined_html(&text, &combined), SL_E_LIMIT);
    sl_buf_fini(&text);
    sl_buf_init(&text, 10);
    assert_int_equal(sl_combined_findings(&text, NULL, &combined), SL_E_LIMIT);
    sl_buf_fini(&text);
}

TEST_GROUP(open_report, close_report);

/* tests/unit/host/report/test_combined_processes.c */
#include "host/report/combined.h"

#include "tests/support/report_case.h"

/* The same experiment in two processes. */
TEST(processes_that_repeat_an_experiment_are_judged_together)
{
    struct sl_report reports[3] = {all.report, all.report, all.report};
    const struct sl_combined combined = {reports, 3};
    struct sl_comparison found;
    struct sl_buf text;
    for (size_t i = 0; i < 2; i++) {
        reports[i].experiment = i == 0 ? "run_p1" : "run_p2";
        reports[i].process = i == 0 ? "1" : "2";
    }
    assert_int_equal(sl_combined_processes_count(&combined), 1);
    assert_int_equal(sl_combined_sweep_count(&combined), 0);
    assert_int_equal(sl_combined_processes(&combined, 1, &found), 0); /* told with the first */
    assert_int_equal(sl_combined_processes(&combined, 0, &found), 2);
    sl_comparison_fini(&found);
    sl_buf_init(&text, 1 << 24);
    assert_int_equal(sl_combined_md(&text, &combined), 0);
    assert_non_null(strstr((const char *)text.data, "## Process to process"));
    sl_buf_fini(&text);
    sl_buf_init(&text, 1 << 24);
    assert_int_equal(sl_combined_json(&text, &combined), 0);
    const char *json = strstr((const char *)text.data, "\"processes\":[{");
    assert_non_null(json);
    assert_non_null(strstr(json, "\"experiment\":\"run\",\"processes\":2,\"comparison\":{"));
    sl_buf_fini(&text);
    reports[1].device = "another"; /* then each is alone */
    assert_int_equal(sl_combined_processes_count(&combined), 0);
}

TEST(processes_of_two_directories_are_two_experiments)
{
    struct sl_report reports[4] = {all.report, all.report, all.report, all.report};
    const struct sl_combined combined = {reports, 4};
    for (size_t i = 0; i < 4; i++) {
        reports[i].experiment = i % 2 == 0 ? "run_p1" : "run_p2";
        reports[i].process = i % 2 == 0 ? "1" : "2";
        reports[i].directory = i < 2 ? "monday" : "tuesday";
    }
    assert_int_equal(sl_combined_processes_count(&combined), 2);
    reports[1].directory = "tuesday";
    assert_int_equal(sl_combined_processes_count(&combined), 1);
}

TEST(process_that_is_named_twice_counts_once)
{
    struct sl_report reports[2] = {all.report, all.report};
    const struct sl_combined combined = {reports, 2};
    reports[0].process = reports[1].process = "1";
    reports[0].directory = reports[1].directory = "monday";
    assert_int_equal(sl_combined_processes_count(&combined), 0);
}

TEST_GROUP(open_report, close_report);

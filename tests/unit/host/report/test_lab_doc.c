/* tests/unit/host/report/test_lab_doc.c */
#include "host/report/lab_doc.h"

#include <string.h>

#include "host/records.h"
#include "host/report/doc.h"
#include "host/report/series_doc.h"
#include "tests/support/unit.h"

/* The page, and whether it has `what`. */
static bool says(const struct sl_doc *doc, const char *what)
{
    struct sl_buf out;
    sl_buf_init(&out, 1 << 20);
    assert_int_equal(sl_doc_html(&out, doc), 0);
    assert_int_equal(sl_buf_append(&out, "", 1), 0);
    bool found = strstr((const char *)out.data, what) != NULL;
    sl_buf_fini(&out);
    return found;
}

static void begin(struct sl_doc *doc)
{
    sl_doc_init(doc, SL_DOC_PAGE);
    sl_lab_doc_begin(doc, "lab");
}

TEST(the_state_counts_devices_and_says_why_the_store_fails)
{
    const struct sl_device_record devices[] = {{.name = "a",
                                                .state = SL_DEVICE_READY,
                                                .model = "Phone",
                                                .system = "Android 14",
                                                .sme2 = SL_MAYBE_NO,
                                                .no_sme2 = "its cores have none"},
                                               {.name = "b", .state = SL_DEVICE_BUSY, .job = 7},
                                               {.name = "c<", .state = SL_DEVICE_OFFLINE}};
    struct sl_doc doc;
    begin(&doc);
    sl_lab_doc_state(&doc, devices, 3, 1, 4, "");
    sl_lab_doc_devices(&doc, devices, 3);
    assert_true(says(&doc, "The lab takes jobs"));
    assert_true(says(&doc, "<dd>3: 1 ready, 1 busy, 1 out</dd>"));
    assert_true(says(&doc, "<dd>1 running, 4 queued</dd>"));
    assert_true(says(&doc, "<a href=\"/jobs/7\">7</a>"));
    assert_true(says(&doc, "<td>c&lt;</td>"));
    assert_true(says(&doc, "<td>no</td>"));
    assert_true(says(&doc, "Phone, Android 14; no SME2: its cores have none"));
    sl_doc_fini(&doc);
    begin(&doc);
    sl_lab_doc_state(&doc, NULL, 0, 0, 0, "it is damaged");
    sl_lab_doc_devices(&doc, NULL, 0);
    assert_true(says(&doc, "class=\"verdict wrong\""));
    assert_true(says(&doc, "<dd>it is damaged</dd>"));
    assert_true(says(&doc, "There is no device."));
    sl_doc_fini(&doc);
}

TEST(a_job_waits_for_its_selector_until_a_device_has_it)
{
    const struct sl_job_record jobs[] = {{.id = 1, .state = SL_JOB_QUEUED, .selector = "phone"},
                                         {.id = 2,
                                          .state = SL_JOB_DONE,
                                          .device = "here",
                                          .run = 9,
                                          .started_ms = 1000,
                                          .ended_ms = 3500}};
    struct sl_doc doc;
    begin(&doc);
    sl_lab_doc_jobs(&doc, "Jobs", jobs, 2, "/jobs?cursor=1");
    assert_true(says(&doc, "<td>phone</td>"));
    assert_true(says(&doc, "<td class=\"r\">2.5 s</td>"));
    assert_true(says(&doc, "<a href=\"/runs/9\">9</a>"));
    assert_true(says(&doc, "<a href=\"/jobs?cursor=1\">Older ones</a>"));
    sl_doc_fini(&doc);
}

TEST(a_run_shows_its_report_and_never_its_own_markup)
{
    struct sl_run_record run = {.id = 3,
                                .job = 4,
                                .verdict = "\"><x>",
                                .ratio = 2.5,
                                .device_kind = SL_DEVICE_COUNTED,
                                .series = "00ff00ff00ff00ff"};
    char odd[] = "a b/report.html", plain[] = "report.html", other[] = "x.csv";
    const struct sl_lab_file files[] = {{plain, 10}, {odd, 11}, {other, 12}};
    struct sl_doc doc;
    begin(&doc);
    sl_lab_doc_run(&doc, &run, NULL, files, 3);
    assert_false(says(&doc, "<x>"));
    assert_true(says(&doc, "2.500 (executed instructions, not speed)"));
    assert_true(says(&doc, "<a href=\"/api/v1/runs/3/files/report.html\">Report</a>"));
    assert_true(says(&doc, "<a href=\"/api/v1/runs/3/files/a%20b/report.html\">a b/report.html"));
    assert_true(says(&doc, "<a href=\"/series/00ff00ff00ff00ff\">"));
    assert_true(says(&doc, "3 files"));
    sl_doc_fini(&doc);
    snprintf(run.verdict, sizeof(run.verdict), "faster");
    run.device_kind = SL_DEVICE_LOCAL;
    begin(&doc);
    sl_lab_doc_run(&doc, &run, NULL, NULL, 0);
    assert_true(says(&doc, "class=\"verdict faster\""));
    assert_true(says(&doc, "2.500 (time)"));
    assert_false(says(&doc, "Runtime"));
    sl_doc_fini(&doc);
}

TEST(a_run_says_whose_runtime_it_measured_and_leads_to_both_executorchs_first)
{
    const struct sl_run_record own = {.id = 8, .runtime = "own"};
    const struct sl_run_record theirs = {.id = 7, .runtime = "executorch"};
    const struct sl_run_record *const runs[] = {&own, &theirs};
    for (int i = 0; i < 2; i++) {
        struct sl_doc doc;
        begin(&doc);
        sl_lab_doc_run(&doc, runs[i], runs[1 - i], NULL, 0);
        assert_true(says(&doc, i == 0 ? "our own" : "ExecuTorch&#39;s") ||
                    says(&doc, i == 0 ? "our own" : "ExecuTorch's"));
        assert_true(says(&doc, "<a href=\"/combined?runs=7,8\">"));
        sl_doc_fini(&doc);
    }
    assert_false(sl_lab_doc_pairs(&(struct sl_run_record){.runtime = "runners"}));
}

/* Newest first: three runs that cost 100 with SME2 on, then two that cost 120; one is unfit. */
TEST(a_counted_series_tells_each_change)
{
    struct sl_run_record runs[6];
    struct sl_doc doc;
    for (size_t i = 0; i < 6; i++) {
        double on = i < 2 ? 120 : 100;
        runs[i] = (struct sl_run_record){.id = 6 - i,
                                         .model = "net",
                                         .device = "here",
                                         .device_kind = SL_DEVICE_COUNTED,
                                         .baseline = 600,
                                         .candidate = on,
                                         .ratio = 600 / on};
    }
    snprintf(runs[3].verdict, sizeof(runs[3].verdict), "unfit");
    begin(&doc);
    assert_int_equal(sl_series_doc(&doc, runs, 6), 0);
    assert_true(says(&doc, "From run 5 on SME2 on changed by +20.00 %: 100 to 120."));
    assert_true(says(&doc, "From run 5 on off / on changed by -16.67 %: 6.000 to 5.000."));
    assert_false(says(&doc, "SME2 off changed"));
    assert_true(says(&doc, "What each arm took, run by run"));
    assert_true(says(&doc, "<a href=\"/runs/3\">3</a>"));
    sl_doc_fini(&doc);
}

TEST(few_timed_runs_tell_no_change)
{
    const struct sl_run_record runs[] = {
        {.id = 2, .device_kind = SL_DEVICE_LOCAL, .ratio = 3},
        {.id = 1, .device_kind = SL_DEVICE_LOCAL, .ratio = 2},
    };
    struct sl_doc doc;
    begin(&doc);
    assert_int_equal(sl_series_doc(&doc, runs, 2), 0);
    assert_true(says(&doc, "There are too few runs to tell a change from chance."));
    assert_false(says(&doc, "What each arm took"));
    sl_doc_fini(&doc);
}

/* Benchmarks of other tools: run 3 was measured before run 2, and came later. */
TEST(a_series_of_one_arm_tells_its_times_in_the_order_of_measuring)
{
    const struct sl_run_record runs[] = {
        {.id = 3, .started_ms = 10, .baseline = 2000000},
        {.id = 2, .started_ms = 20, .baseline = 4000000},
        {.id = 1, .started_ms = 5, .baseline = 1000000, .verdict = "unfit"},
    };
    struct sl_doc doc;
    begin(&doc);
    assert_int_equal(sl_series_doc(&doc, runs, 3), 0);
    assert_true(says(&doc, "Time, run by run"));
    assert_true(says(&doc, "run 3</text>"));
    assert_true(says(&doc, ">4.000 ms</text>"));
    assert_false(says(&doc, "SME2"));
    sl_doc_fini(&doc);
}

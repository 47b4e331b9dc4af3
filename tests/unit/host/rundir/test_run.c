/* tests/unit/host/rundir/test_run.c */
#include "host/rundir/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "host/rundir/compared.h"
#include "tests/support/run_case.h"
#include "tests/support/test.h"

#define RUN_TEST(name) TEST_WITH(name, sl_run_case_begin, sl_run_case_end)
#define FINISHED_TEST(name) TEST_WITH(name, sl_run_case_begin_finished, sl_run_case_end)

RUN_TEST(a_directory_is_recorded_once_its_manifest_is_there)
{
    struct sl_run_case *c = *state;
    struct sl_diag diag = {.what = ""};
    assert_false(sl_rundir_is_recorded(c->folder));
    assert_int_equal(sl_rundir_record(&c->run, &diag), 0);
    assert_true(sl_rundir_is_recorded(c->folder));
    assert_false(sl_run_case_has(c, "analysis_summary.json"));
    sl_run_case_write(c, "manifest.json", "{\"schema\":\"sme2lab.mani"); /* cut by a crash */
    assert_false(sl_rundir_is_recorded(c->folder));
}

FINISHED_TEST(off_is_compared_with_on)
{
    struct sl_run_case *c = *state;
    assert_int_equal(c->run.compared->sides[0].file.analysis.latency.median, 4000);
    assert_int_equal(c->run.compared->sides[1].file.analysis.latency.median, 1000);
    assert_true(c->run.compared->report.agreement->agree);
}

FINISHED_TEST(another_process_finishes_a_recorded_run_to_the_same_bytes)
{
    static const char *const names[] = {"analysis_summary.json",
                                        "report.md",
                                        "report.html",
                                        "metrics.json",
                                        "model_run_t1_latency.log",
                                        "model_pipeline_summary.json"};
    enum { COUNT = sizeof(names) / sizeof(names[0]) };
    struct sl_run_case *c = *state;
    struct sl_diag diag = {.what = ""};
    char *before[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        before[i] = sl_run_case_read(c, names[i]);
        sl_run_case_remove(c, names[i]);
    }
    sl_run_case_write(c, "model_run_t1_latency.log", "Model executed successfully.\n");
    sl_run_case_again(c);
    c->run.wall_ns = 0; /* an earlier process knew it: the manifest has it */
    assert_int_equal(sl_rundir_finish(&c->run, &diag), 0);
    for (size_t i = 0; i < COUNT; i++) {
        char *after = sl_run_case_read(c, names[i]);
        assert_string_equal(after, before[i]);
        free(after);
        free(before[i]);
    }
}

RUN_TEST(a_run_without_its_trace_is_refused_and_not_recorded)
{
    struct sl_run_case *c = *state;
    struct sl_diag diag = {.what = ""};
    sl_run_case_remove(c, "model_run_t1.sltrace");
    assert_int_equal(sl_rundir_record(&c->run, &diag), -ENOENT);
    assert_non_null(strstr(diag.where, "model_run_t1.sltrace"));
    assert_false(sl_rundir_is_recorded(c->folder));
}

RUN_TEST(a_trace_that_breaks_off_is_refused_and_not_recorded)
{
    struct sl_run_case *c = *state;
    struct sl_diag diag = {.what = ""};
    sl_run_case_write_trace(c, false);
    assert_int_equal(sl_rundir_record(&c->run, &diag), SL_E_TRUNCATED);
    assert_false(sl_rundir_is_recorded(c->folder));
}

RUN_TEST(outputs_that_are_not_there_end_the_finish)
{
    struct sl_run_case *c = *state;
    struct sl_diag diag = {.what = ""};
    assert_int_equal(sl_rundir_record(&c->run, &diag), 0);
    sl_run_case_remove(c, "model_run_t1_portable-0.bin");
    assert_int_equal(sl_rundir_finish(&c->run, &diag), -ENOENT);
    assert_false(sl_run_case_has(c, "analysis_summary.json"));
}

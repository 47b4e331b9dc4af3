/* tests/unit/host/rundir/test_recompute.c */
#include "host/rundir/recompute.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "tests/support/run_case.h"
#include "tests/support/test.h"

#define FINISHED_TEST(name) TEST_WITH(name, sl_run_case_begin_finished, sl_run_case_end)

static int recompute(const struct sl_run_case *c, double threshold_percent, struct sl_diag *diag)
{
    int code = -1;
    int rc = sl_rundir_recompute(c->folder, &c->categories, threshold_percent, &code, diag);
    return rc < 0 ? rc : code;
}

FINISHED_TEST(files_come_out_as_the_run_wrote_them)
{
    static const char *const names[] = {"analysis_summary.json", "report.md", "metrics.json"};
    struct sl_run_case *c = *state;
    struct sl_diag diag = {.what = ""};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char *before = sl_run_case_read(c, names[i]);
        if (i > 0) /* of the summary the outputs' agreement is taken */
            sl_run_case_remove(c, names[i]);
        assert_int_equal(recompute(c, c->spec.threshold_percent, &diag), 4);
        char *after = sl_run_case_read(c, names[i]);
        assert_string_equal(after, before);
        free(before);
        free(after);
    }
}

FINISHED_TEST(a_manifest_that_was_changed_keeps_the_hash_of_the_run)
{
    struct sl_run_case *c = *state;
    struct sl_diag diag = {.what = ""};
    char *before = sl_run_case_read(c, "analysis_summary.json");
    sl_run_case_replace(c, "manifest.json", "a test", "another");
    assert_true(recompute(c, 0, &diag) >= 0);
    char *after = sl_run_case_read(c, "analysis_summary.json");
    assert_string_equal(strstr(after, "manifest_sha256"), strstr(before, "manifest_sha256"));
    free(before);
    free(after);
}

FINISHED_TEST(without_the_summary_nothing_says_how_outputs_agreed)
{
    struct sl_run_case *c = *state;
    struct sl_diag diag = {.what = ""};
    sl_run_case_remove(c, "analysis_summary.json");
    assert_int_equal(recompute(c, 0, &diag), SL_E_NOT_FOUND);
    assert_non_null(strstr(diag.what, "analysis_summary.json is missing"));
}

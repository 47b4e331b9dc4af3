/* tests/unit/host/cli/test_run_baseline.c */
#include "host/cli/run_baseline.h"

#include <stdlib.h>

#include "common/base/error.h"
#include "host/cli/cli.h"
#include "host/spec/plan.h"
#include "tests/support/run_case.h"
#include "tests/support/test.h"

#define FINISHED_TEST(name) TEST_WITH(name, sl_run_case_begin_finished, sl_run_case_end)

static const struct sl_cli cli = {.json = false};

static void must_have(const struct sl_run_case *c, bool own, bool executorch)
{
    struct sl_diag diag = {.what = ""};
    bool has[2] = {!own, !executorch};
    assert_int_equal(sl_cli_run_baseline_runtimes(&cli, c->folder, has, &diag), 0);
    assert_int_equal(has[SL_RUNTIME_OWN], own);
    assert_int_equal(has[SL_RUNTIME_EXECUTORCH], executorch);
}

TEST(a_baseline_that_is_no_run_directory_is_refused)
{
    struct sl_diag diag = {.what = ""};
    bool has[2];
    assert_true(sl_cli_run_baseline_runtimes(&cli, "/nonexistent", has, &diag) < 0);
    assert_true(diag.what[0] != '\0');
    assert_true(sl_cli_run_baseline_runtimes(&cli, SL_TEST_DATA, has, &diag) < 0);
}

FINISHED_TEST(a_baselines_manifests_say_its_runtimes)
{
    struct sl_run_case *c = *state;
    must_have(c, true, false);
    char *own = sl_run_case_read(c, "manifest.json");
    sl_run_case_replace(c, "manifest.json", "\"outputs\"",
                        "\"runtime\":\"executorch\",\"outputs\"");
    must_have(c, false, true); /* the plain name says nothing */
    sl_run_case_write(c, "manifest_beside.json", own);
    sl_run_case_replace(c, "manifest_beside.json", "\"experiment\":\"run\"",
                        "\"experiment\":\"beside\"");
    must_have(c, true, true);
    sl_run_case_write(c, "manifest_beside.json", "{}");
    bool has[2];
    assert_true(sl_cli_run_baseline_runtimes(&cli, c->folder, has, NULL) < 0);
    free(own);
}

TEST(a_run_on_what_the_baseline_has_not_is_refused_with_words)
{
    struct sl_diag diag = {.what = ""};
    struct sl_plan plan;
    sl_plan_init(&plan, "m.pte");
    assert_int_equal(sl_cli_run_baseline_fits((bool[2]){true, false}, &plan, &diag), 0);
    assert_int_equal(sl_cli_run_baseline_fits((bool[2]){false, true}, &plan, &diag), SL_E_MISMATCH);
    assert_string_equal(diag.what,
                        "The baseline has no run on our runtime, which 'run' is to run on");
    assert_int_equal(sl_plan_add_executorch(&plan, &diag), 0);
    assert_int_equal(sl_cli_run_baseline_fits((bool[2]){true, true}, &plan, &diag), 0);
    assert_int_equal(sl_cli_run_baseline_fits((bool[2]){true, false}, &plan, &diag), SL_E_MISMATCH);
}

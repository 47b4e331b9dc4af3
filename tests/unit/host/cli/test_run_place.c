/* tests/unit/host/cli/test_run_place.c */
#include "host/cli/run_place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/spec/plan.h"
#include "tests/support/test.h"

static char place[64];

static int make_place(void **state)
{
    (void)state;
    snprintf(place, sizeof(place), "/tmp/sl-place-XXXXXX");
    return mkdtemp(place) ? 0 : -1;
}

static int remove_place(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", place);
    return system(command);
}

static int checked_with(const char *name)
{
    char path[160];
    struct sl_diag diag = {0};
    snprintf(path, sizeof(path), "%s/%s", place, name);
    assert_int_equal(sl_buf_write_file(path, "x", 1), 0);
    int rc = sl_cli_run_place_check(place, &diag);
    assert_int_equal(rc < 0, strstr(diag.what, name) != NULL);
    assert_int_equal(rc < 0, strstr(diag.hint, "--force") != NULL);
    assert_int_equal(unlink(path), 0);
    return rc;
}

TEST_WITH(results_of_another_run_are_no_place, make_place, remove_place)
{
    static const char *const ours[] = {"manifest.json", "manifest_toy.json",
                                       "report.md",     "report_late.html",
                                       "metrics.json",  "analysis_summary.json"};
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        assert_int_equal(checked_with(ours[i]), -EEXIST);
}

TEST_WITH(other_files_and_what_is_not_there_are_free, make_place, remove_place)
{
    static const char *const others[] = {"manifesto.json", "report",           "report.pdf",
                                         "notes.md",       "my_manifest.json", "model.pte"};
    struct sl_diag diag = {0};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_int_equal(checked_with(others[i]), 0);
    assert_int_equal(sl_cli_run_place_check("/nonexistent/place", &diag), 0);
}

static int take(const char *path, struct sl_cli_run_place *out, struct sl_diag *diag)
{
    static struct sl_plan plan;
    memset(diag, 0, sizeof(*diag));
    sl_plan_init(&plan, "m.pte");
    plan.specs[0].output_root = path;
    return sl_cli_run_place_take(&plan, false, out, diag);
}

TEST_WITH(a_place_is_of_one_run_at_a_time, make_place, remove_place)
{
    struct sl_cli_run_place first, second;
    struct sl_diag diag;
    assert_int_equal(take(place, &first, &diag), 0);
    assert_int_equal(take(place, &second, &diag), -EEXIST);
    assert_non_null(strstr(diag.what, "Another run"));
    sl_cli_run_place_leave(&second);
    sl_cli_run_place_leave(&first);
    assert_int_equal(take(place, &second, &diag), 0);
    sl_cli_run_place_leave(&second);
    assert_int_equal(access(place, F_OK), 0); /* it was there before */
}

TEST_WITH(a_file_is_no_place_and_a_new_one_goes_unless_it_was_used, make_place, remove_place)
{
    struct sl_cli_run_place taken;
    struct sl_diag diag;
    char path[96], inside[128];
    snprintf(path, sizeof(path), "%s/new", place);
    snprintf(inside, sizeof(inside), "%s/log", path);
    assert_int_equal(take(path, &taken, &diag), 0);
    assert_int_equal(access(path, F_OK), 0);
    sl_cli_run_place_leave(&taken);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(take(path, &taken, &diag), 0);
    assert_int_equal(sl_buf_write_file(inside, "x", 1), 0);
    sl_cli_run_place_leave(&taken);
    assert_int_equal(access(inside, F_OK), 0);
    assert_int_equal(take(inside, &taken, &diag), -ENOTDIR);
    assert_string_equal(diag.where, inside);
    sl_cli_run_place_leave(&taken);
}

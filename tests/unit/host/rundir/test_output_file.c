/* tests/unit/host/rundir/test_output_file.c */
#include "host/rundir/output_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/analysis/comparison.h"
#include "host/rundir/trace_beside.h"
#include "host/rundir/verdict_exit.h"
#include "tests/support/run_case.h"
#include "tests/support/test.h"

#define RUN_TEST(name) TEST_WITH(name, sl_run_case_begin, sl_run_case_end)

RUN_TEST(a_file_of_somebody_else_is_written_over_by_force_alone)
{
    struct sl_run_case *c = *state;
    struct sl_diag diag = {.what = ""};
    struct sl_buf text;
    char path[128];
    snprintf(path, sizeof(path), "%s/report.md", c->folder);
    sl_buf_init(&text, 100);
    assert_int_equal(sl_buf_append(&text, "ours", 4), 0);
    assert_int_equal(sl_output_write(path, &text, false, &diag), 0);
    assert_int_equal(sl_output_write(path, &text, false, &diag), 0); /* the same once more */
    sl_run_case_write(c, "report.md", "their");
    assert_int_equal(sl_output_write(path, &text, false, &diag), -EEXIST);
    char *kept = sl_run_case_read(c, "report.md");
    assert_string_equal(kept, "their");
    free(kept);
    assert_int_equal(sl_output_write(path, &text, true, &diag), 0);
    kept = sl_run_case_read(c, "report.md");
    assert_string_equal(kept, "ours");
    free(kept);
    sl_buf_fini(&text);
}

TEST(a_verdict_means_one_exit_code)
{
    static const struct {
        int verdict;
        double ratio, threshold;
        int code;
    } all[] = {{SL_VERDICT_FASTER, 2, 0, 0},    {SL_VERDICT_EQUIVALENT, 1, 0, 0},
               {SL_VERDICT_SLOWER, 0.9, 0, 3},  {SL_VERDICT_SLOWER, 0.9, 12, 0},
               {SL_VERDICT_SLOWER, 0.9, 11, 3}, {SL_VERDICT_WRONG, 2, 0, 1},
               {SL_VERDICT_UNFIT, 2, 0, 4},     {SL_VERDICT_INCONCLUSIVE, 2, 0, 4}};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct sl_comparison comparison = {
            .method = SL_METHOD_EXACT, .verdict = all[i].verdict, .ratio = all[i].ratio};
        assert_int_equal(sl_verdict_exit_code(&comparison, all[i].threshold), all[i].code);
    }
}

TEST(folders_of_a_path_are_its_own_and_the_one_above)
{
    struct sl_folders folders;
    char longest[5000];
    assert_true(sl_folders_beside("/a/b/c.etdump", &folders));
    assert_string_equal(folders.own, "/a/b");
    assert_string_equal(folders.above, "/a/b/..");
    assert_true(sl_folders_beside("c.etdump", &folders));
    assert_string_equal(folders.own, ".");
    assert_true(sl_folders_beside("/c.etdump", &folders));
    assert_string_equal(folders.own, "/");
    memset(longest, 'a', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    assert_false(sl_folders_beside(longest, &folders));
}

/* tests/unit/host/cli/test_run_baseline.c */
#include "host/cli/run_baseline.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "tests/support/test.h"

TEST(a_baseline_is_the_number_of_a_run_or_a_run_directory)
{
    struct sl_diag diag = {.what = ""};
    assert_int_equal(sl_run_baseline_check("7", &diag), 0);
    assert_true(sl_run_baseline_check("/nonexistent", &diag) < 0);
    assert_true(diag.what[0] != '\0');
    assert_true(sl_run_baseline_check(SL_TEST_DATA, &diag) < 0); /* a directory of other things */
}

TEST(a_baseline_has_executorch_by_its_experiments_names)
{
    char place[] = "/tmp/sl-baseline-XXXXXX", ours[64], theirs[64];
    assert_non_null(mkdtemp(place));
    snprintf(ours, sizeof(ours), "%s/manifest.json", place);
    snprintf(theirs, sizeof(theirs), "%s/manifest_run_executorch.json", place);
    assert_false(sl_run_baseline_has_executorch(place));
    assert_int_equal(sl_buf_write_file(ours, "{}", 2), 0);
    assert_false(sl_run_baseline_has_executorch(place));
    assert_int_equal(sl_buf_write_file(theirs, "{}", 2), 0);
    assert_true(sl_run_baseline_has_executorch(place));
    unlink(ours);
    unlink(theirs);
    rmdir(place);
}

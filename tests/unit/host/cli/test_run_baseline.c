/* tests/unit/host/cli/test_run_baseline.c */
#include "host/cli/run_baseline.h"

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

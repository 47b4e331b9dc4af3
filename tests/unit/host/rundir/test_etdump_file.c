/* tests/unit/host/rundir/test_etdump_file.c */
#include "host/rundir/etdump_file.h"

#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/rundir/compared.h"
#include "tests/support/run_case.h"
#include "tests/support/test.h"

#define RUN_TEST(name) TEST_WITH(name, sl_run_case_begin, sl_run_case_end)

RUN_TEST(a_damaged_file_is_refused_with_and_without_words)
{
    const struct sl_run_case *c = *state;
    char path[512];
    struct sl_etdump_file file = {.traced = false};
    struct sl_diag diag = {.what = ""};
    snprintf(path, sizeof(path), "%s/x.etdump", c->folder);
    const struct sl_etdump_request request = {.path = path, .only_run = -1};
    assert_true(sl_etdump_file_open(&request, &file, NULL) < 0); /* there is none */
    assert_int_equal(sl_buf_write_file(path, "no ETDump at all", 16), 0);
    int rc = sl_etdump_file_open(&request, &file, &diag);
    assert_true(rc < 0);
    assert_non_null(strstr(diag.where, "x.etdump"));
    assert_int_equal(sl_etdump_file_open(&request, &file, NULL), rc);
}

TEST_WITH(a_run_is_compared_without_words, sl_run_case_begin_finished, sl_run_case_end)
{
    const struct sl_run_case *c = *state;
    static struct sl_compared compared;
    assert_int_equal(sl_compared_directory(&compared, c->folder, NULL, &c->categories, NULL), 0);
    sl_compared_close(&compared);
    assert_true(sl_compared_directory(&compared, "/nowhere", NULL, &c->categories, NULL) < 0);
    sl_compared_close(&compared);
}

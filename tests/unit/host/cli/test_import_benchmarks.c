/* tests/unit/host/cli/test_import_benchmarks.c: what is said before a daemon is asked. */
#include "host/cli/import_benchmarks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/cli/cli.h"
#include "tests/support/store_folder.h"
#include "tests/support/test.h"

TEST(a_file_of_benchmarks_is_known_by_its_name)
{
    assert_true(sl_import_benchmarks_named("out/b.json"));
    assert_false(sl_import_benchmarks_named(".json"));
    assert_false(sl_import_benchmarks_named("b.etdump"));
    assert_false(sl_import_benchmarks_named("b.json.zst"));
}

static int import(const char *text, struct sl_diag *diag)
{
    static const struct sl_cli cli = {.quiet = true, .server = "unix:/no/such/socket"};
    char path[128];
    snprintf(path, sizeof(path), "%s/b.json", store_folder);
    *diag = (struct sl_diag){.what = ""};
    if (text)
        assert_int_equal(sl_buf_write_file(path, text, strlen(text)), 0);
    return sl_import_benchmarks(&cli, path, NULL, diag);
}

STORE_TEST(a_file_without_a_time_is_refused_and_another_is_for_the_daemon)
{
    struct sl_diag diag;
    assert_int_equal(import(NULL, &diag), -ENOENT);
    assert_int_equal(import("{", &diag), SL_E_FORMAT);
    assert_int_equal(import("{\"benchmarks\":[]}", &diag), SL_E_FORMAT);
    assert_non_null(strstr(diag.what, "no time of a benchmark"));
    assert_int_equal(import("{\"a\":{\"latency\":{\"value\":1}}}", &diag), -ECONNREFUSED);
}

#include "host/cli/import_archive.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.h"
#include "host/cli/cli.h"
#include "host/rundir/archive.h"
#include "tests/support/store_folder.h"
#include "tests/support/test.h"

TEST(an_archive_is_told_by_its_name)
{
    assert_true(sl_import_archive_named("runs.tar.zst"));
    assert_false(sl_import_archive_named("runs.tar.gz"));
    assert_false(sl_import_archive_named(".tar.zst"));
    assert_false(sl_import_archive_named("out"));
}

STORE_TEST(an_archive_becomes_a_new_directory_or_nothing)
{
    static const struct sl_cli cli = {.quiet = true};
    struct sl_archive archive = {.runs = NULL};
    struct sl_diag diag = {.what = ""};
    char run[96], file[96], out[96], path[128];
    snprintf(run, sizeof(run), "%s/run", store_folder);
    snprintf(file, sizeof(file), "%s/a.tar.zst", store_folder);
    snprintf(out, sizeof(out), "%s/out", store_folder);
    snprintf(path, sizeof(path), "%s/out/run", store_folder);
    assert_int_equal(mkdir(run, 0700), 0);
    assert_int_equal(sl_archive_add(&archive, run, "run", 0, &diag), 0);
    assert_int_equal(sl_archive_write(&archive, file, &diag), 0);
    sl_archive_fini(&archive);
    assert_int_equal(sl_import_archive(&cli, file, out, &diag), 0);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(sl_import_archive(&cli, file, out, &diag), -EEXIST);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(rmdir(path) + rmdir(out), 0);
    assert_int_equal(truncate(file, 20), 0);
    assert_int_equal(sl_import_archive(&cli, file, out, &diag), SL_E_FORMAT);
    assert_int_not_equal(access(out, F_OK), 0);
}

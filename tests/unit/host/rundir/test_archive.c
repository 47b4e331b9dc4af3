#include "host/rundir/archive.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "tests/support/store_folder.h"
#include "tests/support/test.h"

static void shell(const char *format)
{
    char command[512];
    snprintf(command, sizeof(command), format, store_folder);
    assert_int_equal(system(command), 0);
}

static void path_of(const char *name, char out[128])
{
    snprintf(out, 128, "%s/%s", store_folder, name);
}

STORE_TEST(what_is_written_is_unpacked_again)
{
    char run[128], file[128], into[128], path[256];
    struct sl_archive archive = {.runs = NULL}, found = {.runs = NULL};
    struct sl_diag diag = {.what = ""};
    struct sl_buf text;
    shell("mkdir -p %1$s/run/streams %1$s/into && printf alpha >%1$s/run/z && printf beta "
          ">%1$s/run/streams/b && : >%1$s/run/empty");
    path_of("run", run), path_of("a.tar.zst", file), path_of("into", into);
    assert_int_equal(sl_archive_add(&archive, run, "one", 7, &diag), 0);
    assert_int_equal(sl_archive_add(&archive, run, "two", 0, &diag), 0);
    assert_int_equal(sl_archive_add(&archive, run, "one", 8, &diag), -EEXIST);
    assert_string_equal(archive.runs[0].files[0].path, "empty");
    assert_int_equal(sl_archive_write(&archive, file, &diag), 0);
    assert_int_equal(sl_archive_write(&archive, file, &diag), -EEXIST);
    assert_int_equal(sl_archive_unpack(file, into, &found, &diag), 0);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.runs[0].run, 7);
    assert_int_equal(found.runs[1].count, 3);
    snprintf(path, sizeof(path), "%s/%s", found.runs[1].directory, found.runs[1].files[1].path);
    assert_int_equal(sl_buf_read_file(path, 100, &text), 0);
    assert_string_equal((const char *)text.data, "beta");
    sl_buf_fini(&text);
    sl_archive_fini(&archive);
    sl_archive_fini(&found);
}

STORE_TEST(a_file_that_changes_meanwhile_leaves_no_archive)
{
    char run[128], file[128];
    struct sl_archive archive = {.runs = NULL};
    struct sl_diag diag = {.what = ""};
    shell("mkdir %1$s/run && printf alpha >%1$s/run/z");
    path_of("run", run), path_of("a.tar.zst", file);
    assert_int_equal(sl_archive_add(&archive, run, "run", 0, &diag), 0);
    shell("printf ALPHA >%1$s/run/z");
    assert_int_equal(sl_archive_write(&archive, file, &diag), SL_E_MISMATCH);
    shell("printf al >%1$s/run/z");
    assert_int_equal(sl_archive_write(&archive, file, &diag), SL_E_MISMATCH);
    shell("test \"$(ls %1$s)\" = run");
    sl_archive_fini(&archive);
}

STORE_TEST(what_is_no_file_of_a_run_is_refused)
{
    char run[128];
    struct sl_archive archive = {.runs = NULL};
    struct sl_diag diag = {.what = ""};
    path_of("run", run);
    assert_int_equal(sl_archive_add(&archive, run, "run", 0, &diag), -ENOENT);
    sl_archive_fini(&archive);
    shell("mkdir %1$s/run && ln -s /etc/passwd %1$s/run/link");
    assert_int_equal(sl_archive_add(&archive, run, "run", 0, &diag), SL_E_UNSUPPORTED);
    sl_archive_fini(&archive);
    shell("rm %1$s/run/link && mkdir -p %1$s/run/a/b/c");
    assert_int_equal(sl_archive_add(&archive, run, "run", 0, &diag), SL_E_UNSUPPORTED);
    sl_archive_fini(&archive);
}

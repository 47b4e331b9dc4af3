/* tests/unit/agent/serve/test_runtime_folder.c */
#include "agent/serve/runtime_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/serve/job_dir.h"
#include "common/base/buf.h"
#include "proto/job.pb-c.h"
#include "tests/support/test.h"

#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B64 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static char workdir[64];
static struct sl_job_dir dir;

static int make_workdir(void **state)
{
    char path[128];
    (void)state;
    snprintf(workdir, sizeof(workdir), "/tmp/sl-runtime-XXXXXX");
    if (!mkdtemp(workdir))
        return -1;
    snprintf(dir.path, sizeof(dir.path), "%s/job", workdir);
    snprintf(path, sizeof(path), "%s/blobs", workdir);
    if (mkdir(dir.path, 0700) < 0 || mkdir(path, 0700) < 0)
        return -1;
    snprintf(path, sizeof(path), "%s/blobs/" A64, workdir);
    return sl_buf_write_file(path, "loader", 6);
}

static int remove_workdir(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", workdir);
    return system(command);
}

static int make(const char *first, const char *second, const char *digest, size_t names)
{
    Sme2lab__Proto__Job job = SME2LAB__PROTO__JOB__INIT;
    char *list[] = {(char *)(uintptr_t)first, (char *)(uintptr_t)second};
    char *digests[] = {(char *)(uintptr_t)A64, (char *)(uintptr_t)digest};
    job.runtime_names = list;
    job.n_runtime_names = names;
    job.runtime = digests;
    job.n_runtime = 2;
    return sl_runtime_folder_make(workdir, &job, &dir);
}

TEST_WITH(files_lie_under_their_names_and_can_be_started, make_workdir, remove_workdir)
{
    char path[128];
    struct stat info;
    assert_int_equal(make("ld.so", "program", A64, 2), 0);
    snprintf(path, sizeof(path), "%s/runtime/program", dir.path);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, 6);
    assert_int_equal(info.st_mode & 0777, 0700);
}

TEST_WITH(lists_that_lead_elsewhere_are_refused, make_workdir, remove_workdir)
{
    assert_int_equal(make("ld.so", "../program", A64, 2), -EINVAL);
    assert_int_equal(make("ld.so", "..", A64, 2), -EINVAL);
    assert_int_equal(make("", "program", A64, 2), -EINVAL);
    assert_int_equal(make("ld.so", "program", "../../etc/passwd", 2), -EINVAL);
    assert_int_equal(make("ld.so", "program", A64, 1), -EINVAL);
}

TEST_WITH(missing_blob_is_told, make_workdir, remove_workdir)
{
    assert_int_equal(make("ld.so", "program", B64, 2), -ENOENT);
}

TEST_WITH(job_without_a_list_gets_no_folder, make_workdir, remove_workdir)
{
    Sme2lab__Proto__Job job = SME2LAB__PROTO__JOB__INIT;
    char path[128];
    struct stat info;
    assert_int_equal(sl_runtime_folder_make(workdir, &job, &dir), 0);
    snprintf(path, sizeof(path), "%s/runtime", dir.path);
    assert_int_equal(stat(path, &info), -1);
}

static int make_runner(const char *library, size_t names)
{
    char *list[] = {(char *)(uintptr_t)library}, *digests[] = {(char *)(uintptr_t)A64};
    Sme2lab__Proto__Arm arm = SME2LAB__PROTO__ARM__INIT, *arms[] = {&arm};
    Sme2lab__Proto__Job job = SME2LAB__PROTO__JOB__INIT;
    arm.place = 4;
    arm.program = (char *)(uintptr_t)"executor_runner";
    arm.runner = (char *)(uintptr_t)A64;
    arm.library_names = list;
    arm.libraries = digests;
    arm.n_libraries = 1;
    arm.n_library_names = names;
    job.arms = arms;
    job.n_arms = 1;
    return sl_runtime_folder_make(workdir, &job, &dir);
}

TEST_WITH(a_runners_libraries_lie_beside_it_and_in_lib, make_workdir, remove_workdir)
{
    static const char *const places[] = {"bin/executor_runner", "bin/libx.so.1",
                                         "bin/../lib/libx.so.1"};
    char path[160];
    struct stat info;
    assert_int_equal(make_runner("libx.so.1", 1), 0);
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof(path), "%s/runners/4/%s", dir.path, places[i]);
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_size, 6);
    }
}

TEST_WITH(libraries_that_lead_elsewhere_are_refused, make_workdir, remove_workdir)
{
    assert_int_equal(make_runner("../libx.so", 1), -EINVAL);
    assert_int_equal(make_runner("libx.so", 0), -EINVAL);
}

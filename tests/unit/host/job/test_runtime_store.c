/* tests/unit/host/job/test_runtime_store.c */
#include "host/job/runtime_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "host/device/runtime_files.h"
#include "host/store/blobs.h"
#include "tests/support/unit.h"

static char folder[64];
static struct sl_blobs blobs;

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/sl-runtime-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    return sl_blobs_init(&blobs, folder, &(struct sl_diag){0});
}

static int remove_folder(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

static void put(const char *name)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    assert_int_equal(sl_buf_write_file(path, name, strlen(name)), 0);
}

TEST_WITH(loader_and_program_come_first_and_all_are_blobs, make_folder, remove_folder)
{
    struct sl_runtime_files files;
    char digest[SL_SHA256_HEX_SIZE], path[SL_PATH_BYTES + SL_SHA256_HEX_SIZE];
    const char *const names[] = {"ld-linux-aarch64.so.1", "runner", "liba.so", "libz.so.6"};
    for (int i = 3; i >= 0; i--)
        put(names[i]);
    for (int twice = 0; twice < 2; twice++)
        assert_int_equal(sl_runtime_store(folder, "runner", &blobs, &files, NULL), 0);
    assert_int_equal(files.count, 4); /* the blobs are in a folder there */
    for (size_t i = 0; i < 4; i++) {
        struct stat info;
        assert_string_equal(files.name[i], names[i]);
        sl_sha256_hex(names[i], strlen(names[i]), digest);
        assert_string_equal(files.sha256[i], digest);
        snprintf(path, sizeof(path), "%s/%s", blobs.directory, digest);
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_size, strlen(names[i]));
    }
}

TEST_WITH(blob_that_is_cut_short_is_stored_again, make_folder, remove_folder)
{
    struct sl_runtime_files files;
    struct stat info;
    char path[SL_PATH_BYTES + SL_SHA256_HEX_SIZE];
    put("ld-linux-aarch64.so.1");
    put("runner");
    assert_int_equal(sl_runtime_store(folder, "runner", &blobs, &files, NULL), 0);
    snprintf(path, sizeof(path), "%s/%s", blobs.directory, files.sha256[1]);
    assert_int_equal(truncate(path, 3), 0);
    assert_int_equal(sl_runtime_store(folder, "runner", &blobs, &files, NULL), 0);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, strlen("runner"));
}

TEST_WITH(blob_that_nobody_asked_for_lately_is_kept_for_the_run, make_folder, remove_folder)
{
    static const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    struct sl_runtime_files files;
    char path[SL_PATH_BYTES];
    uint64_t bytes;
    put("ld-linux-aarch64.so.1");
    put("runner");
    assert_int_equal(sl_runtime_store(folder, "runner", &blobs, &files, NULL), 0);
    assert_int_equal(sl_blobs_path(&blobs, files.sha256[0], path), 0);
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    assert_int_equal(sl_blobs_remove_old(&blobs, files.sha256[1], UINT64_MAX), 0);
    assert_int_equal(sl_runtime_store(folder, "runner", &blobs, &files, NULL), 0);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(sl_blobs_remove_old(&blobs, files.sha256[i], 2000 * 1000), SL_E_STATE);
        assert_int_equal(sl_blobs_size(&blobs, files.sha256[i], false, &bytes), 0);
    }
}

TEST_WITH(folder_without_loader_or_program_is_none, make_folder, remove_folder)
{
    struct sl_runtime_files files;
    struct sl_diag diag = {0};
    put("runner");
    put("liba.so");
    assert_int_equal(sl_runtime_store(folder, "runner", &blobs, &files, &diag), SL_E_NOT_FOUND);
    assert_non_null(strstr(diag.what, "ld-linux-aarch64.so.1"));
}

TEST_WITH(too_many_files_are_refused, make_folder, remove_folder)
{
    struct sl_runtime_files files;
    struct sl_diag diag = {0};
    char name[32];
    put("ld-linux-aarch64.so.1");
    put("runner");
    for (int i = 0; i < SL_RUNTIME_FILES_MAX; i++) {
        snprintf(name, sizeof(name), "lib%d.so", i);
        put(name);
    }
    assert_int_equal(sl_runtime_store(folder, "runner", &blobs, &files, &diag), SL_E_LIMIT);
}

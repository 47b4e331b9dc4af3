/* tests/unit/host/store/test_blobs.c */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/store/blobs.h"
#include "tests/support/unit.h"

static char folder[64];
static struct sl_blobs blobs;
static const char content[] = "the bytes of a model";
static char name[SL_DIGEST_BYTES];

enum { CONTENT = sizeof(content) - 1, LIMIT = 1 << 20 };

static void assert_stored(void)
{
    char path[SL_PATH_BYTES];
    uint64_t size = 0;
    struct sl_buf bytes;
    assert_int_equal(sl_blobs_size(&blobs, name, false, &size), 0);
    assert_int_equal(size, CONTENT);
    assert_int_equal(sl_blobs_path(&blobs, name, path), 0);
    assert_int_equal(sl_buf_read_file(path, LIMIT, &bytes), 0);
    assert_memory_equal(bytes.data, content, CONTENT);
    sl_buf_fini(&bytes);
    assert_int_equal(sl_blobs_size(&blobs, name, true, &size), SL_E_NOT_FOUND);
}

static int fresh_folder(void **state)
{
    struct sl_diag diag = {0};
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/sl-blobs-XXXXXX");
    sl_sha256_hex(content, CONTENT, name);
    return mkdtemp(folder) && sl_blobs_init(&blobs, folder, &diag) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

TEST_WITH(an_upload_in_pieces_gets_its_name_at_the_end, fresh_folder, remove_folder)
{
    struct sl_blob_upload *upload = NULL;
    uint64_t size = 0;
    assert_int_equal(sl_blob_upload_new(&blobs, name, 0, LIMIT, &upload), 0);
    for (size_t i = 0; i < CONTENT; i++)
        assert_int_equal(sl_blob_upload_append(upload, content + i, 1), 0);
    assert_int_equal(sl_blobs_size(&blobs, name, false, &size), SL_E_NOT_FOUND);
    assert_int_equal(sl_blob_upload_finish(upload), 0);
    sl_blob_upload_free(upload);
    assert_stored();
}

TEST_WITH(a_broken_off_upload_goes_on_where_it_stopped, fresh_folder, remove_folder)
{
    struct sl_blob_upload *upload = NULL;
    uint64_t size = 0;
    assert_int_equal(sl_blob_upload_new(&blobs, name, 0, LIMIT, &upload), 0);
    assert_int_equal(sl_blob_upload_append(upload, content, 9), 0);
    sl_blob_upload_free(upload);
    assert_int_equal(sl_blobs_size(&blobs, name, true, &size), 0);
    assert_int_equal(size, 9);
    assert_int_equal(sl_blob_upload_new(&blobs, name, 10, LIMIT, &upload), SL_E_MISMATCH);
    assert_int_equal(sl_blob_upload_new(&blobs, name, 7, LIMIT, &upload), 0);
    assert_int_equal(sl_blob_upload_append(upload, content + 7, CONTENT - 7), 0);
    assert_int_equal(sl_blob_upload_offset(upload), CONTENT);
    assert_int_equal(sl_blob_upload_finish(upload), 0);
    sl_blob_upload_free(upload);
    assert_stored();
}

TEST_WITH(wrong_bytes_are_refused_and_removed, fresh_folder, remove_folder)
{
    struct sl_blob_upload *upload = NULL;
    uint64_t size = 0;
    for (int resumed = 0; resumed < 2; resumed++) {
        assert_int_equal(sl_blob_upload_new(&blobs, name, 0, LIMIT, &upload), 0);
        assert_int_equal(sl_blob_upload_append(upload, "other", 5), 0);
        if (resumed) {
            sl_blob_upload_free(upload);
            assert_int_equal(sl_blob_upload_new(&blobs, name, 5, LIMIT, &upload), 0);
        }
        assert_int_equal(sl_blob_upload_finish(upload), SL_E_MISMATCH);
        sl_blob_upload_free(upload);
        assert_int_equal(sl_blobs_size(&blobs, name, false, &size), SL_E_NOT_FOUND);
        assert_int_equal(sl_blobs_size(&blobs, name, true, &size), SL_E_NOT_FOUND);
    }
}

TEST_WITH(two_uploads_of_one_blob_exclude_each_other, fresh_folder, remove_folder)
{
    struct sl_blob_upload *first = NULL, *second = NULL;
    assert_int_equal(sl_blob_upload_new(&blobs, name, 0, LIMIT, &first), 0);
    assert_int_equal(sl_blob_upload_new(&blobs, name, 0, LIMIT, &second), SL_E_STATE);
    sl_blob_upload_free(first);
    assert_int_equal(sl_blob_upload_new(&blobs, name, 0, LIMIT, &second), 0);
    sl_blob_upload_free(second);
}

TEST_WITH(limits_and_names_are_kept, fresh_folder, remove_folder)
{
    static const char *const bad[] = {
        "", "abc", "../../etc/passwd",
        "ABCDEF7890123456789012345678901234567890123456789012345678901234"};
    struct sl_blob_upload *upload = NULL;
    uint64_t size;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(sl_blobs_name_ok(bad[i]));
        assert_int_equal(sl_blob_upload_new(&blobs, bad[i], 0, LIMIT, &upload), SL_E_FORMAT);
        assert_int_equal(sl_blobs_size(&blobs, bad[i], false, &size), SL_E_NOT_FOUND);
    }
    assert_int_equal(sl_blob_upload_new(&blobs, name, 9, 8, &upload), SL_E_LIMIT);
    assert_int_equal(sl_blob_upload_new(&blobs, name, 0, 8, &upload), 0);
    assert_int_equal(sl_blob_upload_append(upload, content, 8), 0);
    assert_int_equal(sl_blob_upload_append(upload, content, 1), SL_E_LIMIT);
    sl_blob_upload_free(upload);
}

TEST_WITH(a_symbolic_link_in_place_of_the_file_is_not_followed, fresh_folder, remove_folder)
{
    char path[SL_PATH_BYTES + 8], target[128];
    struct sl_blob_upload *upload = NULL;
    struct stat info;
    snprintf(target, sizeof(target), "%s/elsewhere", folder);
    snprintf(path, sizeof(path), "%s/%s.part", blobs.directory, name);
    assert_int_equal(symlink(target, path), 0);
    assert_true(sl_blob_upload_new(&blobs, name, 0, LIMIT, &upload) < 0);
    assert_int_equal(stat(target, &info), -1);
}

TEST_WITH(new_survives_each_failed_allocation, fresh_folder, remove_folder)
{
    int rc = -1;
    for (unsigned nth = 1; rc != 0; nth++) {
        struct sl_blob_upload *upload = NULL;
        sl_mem_fail_nth(nth);
        rc = sl_blob_upload_new(&blobs, name, 0, LIMIT, &upload);
        assert_int_equal(upload == NULL, rc != 0);
        sl_blob_upload_free(upload);
    }
    sl_mem_fail_nth(0);
}

TEST_WITH(an_upload_that_finds_no_room_leaves_none_behind, fresh_folder, remove_folder)
{
    static const char block[5000];
    struct sl_blob_upload *upload = NULL;
    struct rlimit before, small;
    uint64_t size = 0;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){.rlim_cur = 8000, .rlim_max = before.rlim_max};
    assert_int_equal(sl_blob_upload_new(&blobs, name, 0, LIMIT, &upload), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(sl_blob_upload_append(upload, block, sizeof(block)), 0);
    assert_int_equal(sl_blob_upload_append(upload, block, sizeof(block)), -EFBIG);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(sl_blobs_size(&blobs, name, true, &size), SL_E_NOT_FOUND);
    sl_blob_upload_free(upload);
}

TEST_WITH(only_old_partial_files_that_nobody_holds_are_swept, fresh_folder, remove_folder)
{
    char path[SL_PATH_BYTES], partial[SL_PATH_BYTES + 8];
    const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    struct sl_blob_upload *upload = NULL;
    uint64_t size = 0;
    assert_int_equal(sl_blob_upload_new(&blobs, name, 0, LIMIT, &upload), 0);
    assert_int_equal(sl_blob_upload_append(upload, content, 9), 0);
    assert_int_equal(sl_blobs_path(&blobs, name, path), 0);
    snprintf(partial, sizeof(partial), "%s.part", path);
    assert_int_equal(sl_blobs_sweep(&blobs, SL_BLOBS_KEEP_PARTIAL_S), 0); /* fresh */
    assert_int_equal(utimensat(AT_FDCWD, partial, long_ago, 0), 0);
    assert_int_equal(sl_blobs_sweep(&blobs, SL_BLOBS_KEEP_PARTIAL_S), 0); /* held */
    sl_blob_upload_free(upload);
    assert_int_equal(utimensat(AT_FDCWD, partial, long_ago, 0), 0);
    snprintf(partial, sizeof(partial), "%s.77-0.tmp", path); /* its writer was killed */
    assert_int_equal(sl_buf_write_file(partial, content, 9), 0);
    assert_int_equal(utimensat(AT_FDCWD, partial, long_ago, 0), 0);
    assert_int_equal(sl_blobs_sweep(&blobs, SL_BLOBS_KEEP_PARTIAL_S), 2);
    assert_int_equal(sl_blobs_size(&blobs, name, true, &size), SL_E_NOT_FOUND);
}

TEST_WITH(a_blob_that_somebody_names_is_young_again, fresh_folder, remove_folder)
{
    static const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    char path[SL_PATH_BYTES];
    struct stat info;
    uint64_t size = 0;
    assert_int_equal(sl_blobs_touch(&blobs, name, &size), SL_E_NOT_FOUND);
    assert_int_equal(sl_blobs_path(&blobs, name, path), 0);
    assert_int_equal(sl_buf_write_file(path, content, CONTENT), 0);
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    assert_int_equal(sl_blobs_touch(&blobs, name, &size), 0);
    assert_int_equal(size, CONTENT);
    assert_int_equal(stat(path, &info), 0);
    assert_true(info.st_mtim.tv_sec > 1000);
}

static void make_stored(void)
{
    struct sl_blob_upload *upload = NULL;
    assert_int_equal(sl_blob_upload_new(&blobs, name, 0, LIMIT, &upload), 0);
    assert_int_equal(sl_blob_upload_append(upload, content, CONTENT), 0);
    assert_int_equal(sl_blob_upload_finish(upload), 0);
    sl_blob_upload_free(upload);
}

/* Sets the files' times to the second 1000. */
static void make_old(void)
{
    char path[SL_PATH_BYTES];
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(sl_blobs_path(&blobs, name, path), 0);
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
}

TEST_WITH(a_blob_is_marked_once_a_second_at_most, fresh_folder, remove_folder)
{
    char path[SL_PATH_BYTES];
    struct stat info;
    uint64_t size;
    time_t before = 0;
    make_stored();
    assert_int_equal(sl_blobs_path(&blobs, name, path), 0);
    do { /* within one second */
        before = time(NULL);
        const struct timespec marked[2] = {{.tv_sec = before}, {.tv_sec = before}};
        assert_int_equal(utimensat(AT_FDCWD, path, marked, 0), 0);
        assert_int_equal(sl_blobs_touch(&blobs, name, &size), 0);
        assert_int_equal(stat(path, &info), 0);
    } while (time(NULL) != before);
    assert_int_equal(info.st_mtim.tv_sec, before);
    assert_int_equal(info.st_mtim.tv_nsec, 0);
}

TEST_WITH(only_what_nobody_touched_since_is_removed_as_old, fresh_folder, remove_folder)
{
    uint64_t size;
    make_stored();
    make_old();
    assert_int_equal(sl_blobs_remove_old(&blobs, name, 1000000), SL_E_STATE);
    assert_int_equal(sl_blobs_touch(&blobs, name, &size), 0);
    assert_int_equal(sl_blobs_remove_old(&blobs, name, 1001000), SL_E_STATE);
    assert_stored();
    make_old();
    assert_int_equal(sl_blobs_remove_old(&blobs, name, 1001000), 0);
    assert_int_equal(sl_blobs_touch(&blobs, name, &size), SL_E_NOT_FOUND);
    assert_int_equal(sl_blobs_remove_old(&blobs, name, 1001000), -ENOENT);
}

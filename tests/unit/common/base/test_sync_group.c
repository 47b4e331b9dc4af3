/* tests/unit/common/base/test_sync_group.c */
#include "common/base/sync_group.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "tests/support/unit.h"

enum { FILES = 2 * SL_SYNC_GROUP_FILES + 3, PATH_BYTES = 256 };

/* The files synced since the start of a test, by inode. This file's fsync() is the program's. */
static ino_t synced[4 * FILES];
static size_t sync_count;
static int next_error; /* of the next sync, once */

int fsync(int fd)
{
    struct stat info;
    assert_int_equal(fstat(fd, &info), 0);
    assert_in_range(sync_count, 0, sizeof(synced) / sizeof(synced[0]) - 1);
    synced[sync_count++] = info.st_ino;
    errno = next_error;
    next_error = 0;
    return errno != 0 ? -1 : 0;
}

static bool is_synced(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    for (size_t i = 0; i < sync_count; i++) {
        if (synced[i] == info.st_ino)
            return true;
    }
    return false;
}

static int setup(void **state)
{
    static char scratch[] = "/tmp/sl-sync-XXXXXX";
    snprintf(scratch, sizeof(scratch), "/tmp/sl-sync-XXXXXX");
    *state = mkdtemp(scratch);
    sync_count = 0;
    next_error = 0;
    return *state ? 0 : -1;
}

static void path_of(const char *scratch, int i, char out[PATH_BYTES])
{
    snprintf(out, PATH_BYTES, "%s/%d/%d", scratch, i % 2, i);
}

static int teardown(void **state)
{
    char path[PATH_BYTES];
    for (int i = 0; i < FILES; i++) {
        path_of(*state, i, path);
        unlink(path);
    }
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof(path), "%s/%d", (const char *)*state, i);
        rmdir(path);
    }
    return rmdir(*state);
}

static void make_folders(const char *scratch)
{
    char path[PATH_BYTES];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof(path), "%s/%d", scratch, i);
        assert_int_equal(mkdir(path, 0700), 0);
    }
}

static void write_files(const char *scratch, int count)
{
    char path[PATH_BYTES];
    for (int i = 0; i < count; i++) {
        path_of(scratch, i, path);
        assert_int_equal(sl_buf_write_file(path, "bytes", 5), 0);
    }
}

#define IN_A_FOLDER(test) TEST_WITH(test, setup, teardown)

IN_A_FOLDER(without_a_group_each_file_is_synced_when_its_writing_returns)
{
    make_folders(*state);
    for (int i = 1; i < 4; i++) {
        write_files(*state, i);
        assert_int_equal(sync_count, i * (i + 1) / 2);
    }
    assert_false(sl_sync_group_is_open());
}

IN_A_FOLDER(files_of_a_group_have_their_names_at_once_and_are_synced_at_its_end)
{
    char path[PATH_BYTES];
    struct stat info;
    struct sl_sync_group group;
    make_folders(*state);
    sl_sync_group_begin(&group);
    assert_true(sl_sync_group_is_open());
    write_files(*state, 8);
    assert_int_equal(sync_count, 0);
    path_of(*state, 7, path);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, 5);
    assert_int_equal(sl_sync_group_end(&group), 0);
    assert_int_equal(sync_count, 8 + 2); /* each file and each folder once */
    for (int i = 0; i < 8; i++) {
        path_of(*state, i, path);
        assert_true(is_synced(path));
    }
    snprintf(path, sizeof(path), "%s/1", (const char *)*state);
    assert_true(is_synced(path));
    assert_false(sl_sync_group_is_open());
}

IN_A_FOLDER(more_files_than_a_group_holds_are_all_synced)
{
    char path[PATH_BYTES];
    struct sl_sync_group group;
    int before = dup(0);
    make_folders(*state);
    sl_sync_group_begin(&group);
    write_files(*state, FILES);
    assert_int_equal(sl_sync_group_end(&group), 0);
    for (int i = 0; i < FILES; i++) {
        path_of(*state, i, path);
        assert_true(is_synced(path));
    }
    int after = dup(0);
    assert_int_equal(after, before + 1); /* no descriptor stays open */
    close(after);
    close(before);
}

IN_A_FOLDER(a_sync_that_fails_is_the_group_s_failure)
{
    struct sl_sync_group group;
    make_folders(*state);
    sl_sync_group_begin(&group);
    write_files(*state, 4);
    next_error = EIO;
    assert_int_equal(sl_sync_group_end(&group), -EIO);
    assert_int_equal(sync_count, 4 + 2); /* the others are synced all the same */
}

IN_A_FOLDER(what_cannot_be_synced_is_no_failure)
{
    struct sl_sync_group group;
    make_folders(*state);
    sl_sync_group_begin(&group);
    write_files(*state, 1);
    next_error = EROFS;
    assert_int_equal(sl_sync_group_end(&group), 0);
}

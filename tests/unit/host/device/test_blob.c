/* tests/unit/host/device/test_blob.c */
#include "host/device/blob.h"

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
#include "tests/support/test.h"

static char root[64];
static const char bytes[] = "what a model is made of";

/* The SHA-256 of one GiB and one byte, all zero. */
static const char large[] = "6d9bfe50425f2dfe4e2ac07efee1f0bc9d567348ad4aed62704ffe6f5884e9a8";

static int make_root(void **state)
{
    char command[160];
    (void)state;
    snprintf(root, sizeof(root), "/tmp/sl-blob-XXXXXX");
    if (!mkdtemp(root))
        return -1;
    snprintf(command, sizeof(command), "mkdir %s/from %s/to", root, root);
    return system(command);
}

static int remove_root(void **state)
{
    char command[160];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", root);
    return system(command);
}

static int place(const char *from, const char *to, const char *sha256)
{
    char source[80], target[80];
    struct sl_diag diag = {0};
    snprintf(source, sizeof(source), "%s/%s", root, from);
    if (to[0] == '/')
        snprintf(target, sizeof(target), "%s", to);
    else
        snprintf(target, sizeof(target), "%s/%s", root, to);
    return sl_blob_place(source, target, sha256, &diag);
}

static void make(const char *sha256)
{
    char path[160];
    snprintf(path, sizeof(path), "%s/from/%s", root, sha256);
    assert_int_equal(sl_buf_write_file(path, bytes, sizeof(bytes)), 0);
}

TEST(a_blob_is_there_after_it_was_placed_and_may_be_again)
{
    char sha256[SL_SHA256_HEX_SIZE], path[160];
    struct sl_buf found;
    sl_sha256_hex(bytes, sizeof(bytes), sha256);
    make(sha256);
    assert_int_equal(place("from", "to", sha256), 0);
    assert_int_equal(place("from", "to", sha256), 0);
    snprintf(path, sizeof(path), "%s/to/%s", root, sha256);
    assert_int_equal(sl_buf_read_file(path, 1 << 20, &found), 0);
    assert_int_equal(found.size, sizeof(bytes));
    assert_memory_equal(found.data, bytes, sizeof(bytes));
    sl_buf_fini(&found);
}

/* The blob was damaged where it lies, which a link shares, was set aside, and came again. */
TEST(a_link_to_a_damaged_blob_makes_way_for_the_whole_one)
{
    char sha256[SL_SHA256_HEX_SIZE], from[160], to[160], moved[160];
    struct stat blob, there;
    sl_sha256_hex(bytes, sizeof(bytes), sha256);
    snprintf(from, sizeof(from), "%s/from/%s", root, sha256);
    snprintf(to, sizeof(to), "%s/to/%s", root, sha256);
    snprintf(moved, sizeof(moved), "%s/from/moved", root);
    unlink(to);
    make(sha256);
    assert_int_equal(place("from", "to", sha256), 0);
    assert_int_equal(rename(from, moved), 0); /* a whole one serves without the blob, too */
    assert_int_equal(place("from", "to", sha256), 0);
    int fd = open(moved, O_WRONLY);
    assert_int_equal(pwrite(fd, "W", 1, 0), 1);
    close(fd);
    assert_int_equal(place("from", "to", sha256), SL_E_NOT_FOUND);
    assert_int_equal(access(to, F_OK), -1);
    assert_int_equal(link(moved, to), 0);
    make(sha256);
    assert_int_equal(place("from", "to", sha256), 0);
    assert_true(stat(from, &blob) == 0 && stat(to, &there) == 0);
    assert_int_equal(blob.st_ino, there.st_ino);
    unlink(moved);
}

TEST(what_is_none_or_another_is_refused)
{
    char sha256[SL_SHA256_HEX_SIZE];
    sl_sha256_hex(bytes, 3, sha256);
    assert_int_equal(place("from", "to", sha256), SL_E_NOT_FOUND);
    make(sha256); /* other bytes under that name */
    assert_int_equal(place("from", "to", sha256), SL_E_MISMATCH);
    assert_int_equal(place("from", "to", "../from/x"), SL_E_NOT_FOUND);
}

/* A hole on the disk, which takes no room and no memory. */
TEST(more_than_a_gib_is_placed)
{
    char path[160];
    struct stat info;
    snprintf(path, sizeof(path), "%s/from/%s", root, large);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, ((off_t)1 << 30) + 1), 0);
    close(fd);
    assert_int_equal(place("from", "to", large), 0);
    snprintf(path, sizeof(path), "%s/to/%s", root, large);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, ((off_t)1 << 30) + 1);
}

TEST(a_blob_on_another_file_system_is_copied_whole)
{
    char folder[] = "/dev/shm/sl-blob-XXXXXX", sha256[SL_SHA256_HEX_SIZE], path[160];
    struct sl_buf found;
    if (!mkdtemp(folder))
        skip();
    sl_sha256_hex(bytes, sizeof(bytes), sha256);
    make(sha256);
    assert_int_equal(place("from", folder, sha256), 0);
    snprintf(path, sizeof(path), "%s/%s", folder, sha256);
    assert_int_equal(sl_buf_read_file(path, 1 << 20, &found), 0);
    assert_memory_equal(found.data, bytes, sizeof(bytes));
    sl_buf_fini(&found);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* nothing beside it is left */
}

TEST_GROUP(make_root, remove_root);

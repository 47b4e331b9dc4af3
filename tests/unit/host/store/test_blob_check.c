/* tests/unit/host/store/test_blob_check.c: blobs that are read and compared with their names. */
#include "host/store/blob_check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/store/blobs.h"
#include "tests/support/store_folder.h"

static struct sl_blobs blobs;

static int open_place(void **state)
{
    struct sl_diag diag = {0};
    int rc = make_store_folder(state);
    return rc == 0 ? sl_blobs_init(&blobs, store_folder, &diag) : rc;
}

#define BLOBS_TEST(name) TEST_WITH(name, open_place, remove_store_folder)

static void path_of(const char *name, const char *ending, char out[256])
{
    snprintf(out, 256, "%.100s/%.70s%s", blobs.directory, name, ending);
}

static bool is_there(const char *name, const char *ending)
{
    char path[256];
    struct stat info;
    path_of(name, ending, path);
    return lstat(path, &info) == 0;
}

/* sl_buf_write_file() would sync each one. */
static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* The blob of `text`, under its name, with the bytes of `now`. */
static void put(const char *text, const char *now, char out_name[SL_DIGEST_BYTES])
{
    char path[256];
    sl_sha256_hex(text, strlen(text), out_name);
    path_of(out_name, "", path);
    write_file(path, now);
}

static struct sl_blob_check check(bool mend)
{
    struct sl_blob_check check = {.mend = mend, .most_ms = 60000};
    assert_int_equal(sl_blob_check(&blobs, &check), 0);
    return check;
}

BLOBS_TEST(whole_blobs_are_no_finding)
{
    char one[SL_DIGEST_BYTES], two[SL_DIGEST_BYTES], path[256];
    put("one", "one", one);
    put("", "", two);
    path_of(one, ".part", path); /* what an upload left is not read */
    write_file(path, "x");
    path_of("README", "", path);
    write_file(path, "x");
    struct sl_blob_check done = check(true);
    assert_int_equal(done.found.count, 0);
    assert_int_equal(done.files, 2);
    assert_int_equal(done.bytes, 3);
    assert_string_equal(done.next, "");
    assert_true(is_there(one, "") && is_there(two, "") && is_there(one, ".part"));
}

BLOBS_TEST(a_store_without_blobs_has_nothing_to_read)
{
    assert_int_equal(rmdir(blobs.directory), 0);
    struct sl_blob_check done = check(true);
    assert_int_equal(done.files, 0);
    assert_string_equal(done.next, "");
}

BLOBS_TEST(a_damaged_blob_is_told_and_stays)
{
    static const char *const damaged[] = {"the bytes of a modeL", "the bytes", "",
                                          "the bytes of a model\n"};
    for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
        char name[SL_DIGEST_BYTES];
        put("the bytes of a model", damaged[i], name);
        struct sl_blob_check done = check(false);
        assert_int_equal(done.found.count, 1);
        assert_int_equal(done.found.rows[0].kind, SL_FOUND_DAMAGED_BLOB);
        assert_int_equal(done.found.rows[0].bytes, strlen(damaged[i]));
        assert_string_equal(done.found.rows[0].name, name);
        assert_false(done.found.rows[0].mended);
        assert_true(is_there(name, "") && !is_there(name, ".damaged"));
        sl_findings_fini(&done.found);
    }
}

BLOBS_TEST(a_blob_that_is_set_aside_can_be_uploaded_again)
{
    char name[SL_DIGEST_BYTES];
    struct sl_blob_upload *upload = NULL;
    for (int i = 0; i < 2; i++) { /* the second one takes the place of the first */
        put("whole", "broken", name);
        struct sl_blob_check done = check(true);
        assert_int_equal(done.found.count, 1);
        assert_true(done.found.rows[0].mended);
        assert_true(!is_there(name, "") && is_there(name, ".damaged"));
        sl_findings_fini(&done.found);
    }
    assert_int_equal(sl_blob_upload_new(&blobs, name, 0, 100, &upload), 0);
    assert_int_equal(sl_blob_upload_append(upload, "whole", 5), 0);
    assert_int_equal(sl_blob_upload_finish(upload), 0);
    sl_blob_upload_free(upload);
    struct sl_blob_check done = check(true);
    assert_int_equal(done.found.count, 0);
    assert_int_equal(done.files, 1);
    assert_true(is_there(name, "") && is_there(name, ".damaged"));
}

BLOBS_TEST(a_blob_that_cannot_make_way_is_not_called_mended)
{
    char name[SL_DIGEST_BYTES], path[256];
    put("whole", "broken", name);
    path_of(name, ".damaged", path);
    assert_int_equal(mkdir(path, 0700), 0);
    struct sl_blob_check done = check(true);
    assert_int_equal(done.found.count, 1);
    assert_false(done.found.rows[0].mended);
    assert_true(is_there(name, ""));
    sl_findings_fini(&done.found);
}

BLOBS_TEST(another_file_of_that_name_is_not_set_aside)
{
    char name[SL_DIGEST_BYTES], path[256], other[256];
    struct stat seen;
    put("whole", "broken", name);
    path_of(name, "", path);
    path_of("other", "", other);
    assert_int_equal(lstat(path, &seen), 0);
    write_file(other, "whole");
    assert_int_equal(rename(other, path), 0);
    assert_int_equal(sl_blobs_set_aside(&blobs, name, &seen), SL_E_STATE);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(sl_blobs_set_aside(&blobs, name, &seen), -ENOENT);
    assert_false(is_there(name, ".damaged"));
}

BLOBS_TEST(what_is_no_file_is_damaged_and_nobody_waits_for_it)
{
    static const char *const names[] = {
        "1111111111111111111111111111111111111111111111111111111111111111",
        "2222222222222222222222222222222222222222222222222222222222222222",
        "3333333333333333333333333333333333333333333333333333333333333333"};
    char path[256];
    path_of(names[0], "", path);
    assert_int_equal(mkfifo(path, 0600), 0);
    path_of(names[1], "", path);
    assert_int_equal(symlink("/dev/zero", path), 0);
    path_of(names[2], "", path);
    assert_int_equal(mkdir(path, 0700), 0);
    struct sl_blob_check done = check(true);
    assert_int_equal(done.found.count, 3);
    assert_int_equal(done.bytes, 0);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(done.found.rows[i].name, names[i]);
        assert_true(done.found.rows[i].mended);
        assert_true(!is_there(names[i], "") && is_there(names[i], ".damaged"));
    }
    sl_findings_fini(&done.found);
}

BLOBS_TEST(steps_read_each_blob_once_in_the_order_of_names)
{
    struct sl_blob_check step = {.most_ms = 0};
    char name[SL_DIGEST_BYTES], last[SL_DIGEST_BYTES] = "";
    uint64_t steps = 0;
    for (int i = 0; i < 5; i++) {
        char text[2] = {(char)('a' + i), '\0'};
        put(text, i == 3 ? "damaged" : text, name);
    }
    do {
        memcpy(step.after, last, sizeof(last));
        assert_int_equal(sl_blob_check(&blobs, &step), 0);
        assert_int_equal(step.files, 1);
        assert_true(!step.next[0] || strcmp(step.next, last) > 0);
        memcpy(last, step.next, sizeof(last));
        sl_findings_fini(&step.found);
        steps++;
    } while (step.next[0]);
    assert_int_equal(steps, 5);
}

BLOBS_TEST(more_blobs_than_a_step_holds_are_all_read)
{
    enum { COUNT = 2100 };
    struct sl_blob_check step = {.most_ms = 60000};
    char name[SL_DIGEST_BYTES];
    uint64_t files = 0, steps = 0, damaged = 0;
    for (int i = 0; i < COUNT; i++) {
        char text[16];
        snprintf(text, sizeof(text), "blob %d", i);
        put(text, i % 700 == 0 ? "damaged" : text, name);
    }
    do {
        memcpy(step.after, step.next, sizeof(step.after));
        assert_int_equal(sl_blob_check(&blobs, &step), 0);
        files += step.files;
        damaged += step.found.count;
        sl_findings_fini(&step.found);
        steps++;
    } while (step.next[0]);
    assert_int_equal(files, COUNT);
    assert_int_equal(damaged, 3);
    assert_int_equal(steps, 3);
}

BLOBS_TEST(a_step_ends_when_it_is_told_to)
{
    atomic_bool stop = true;
    char name[SL_DIGEST_BYTES];
    struct sl_blob_check step = {.mend = true, .most_ms = 60000, .stop = &stop};
    put("whole", "broken", name);
    assert_int_equal(sl_blob_check(&blobs, &step), -ECANCELED);
    assert_int_equal(step.found.count, 0);
    assert_true(is_there(name, ""));
}

BLOBS_TEST(a_check_survives_each_failed_allocation)
{
    char name[SL_DIGEST_BYTES];
    int rc = -ENOMEM;
    put("whole", "broken", name);
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        struct sl_blob_check step = {.most_ms = 60000};
        sl_mem_fail_nth(nth);
        rc = sl_blob_check(&blobs, &step);
        assert_int_equal(step.found.count, rc == 0 ? 1 : 0);
        sl_findings_fini(&step.found);
    }
    sl_mem_fail_nth(0);
    assert_int_equal(rc, 0);
}

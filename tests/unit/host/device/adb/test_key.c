/* tests/unit/host/device/adb/test_key.c: keys that are made, found and used. That adb itself reads
 * them and a device's arithmetic accepts them, tests/integration/test_adb.py shows. */
#include "host/device/adb/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.h"
#include "tests/support/adb_home.h"
#include "tests/support/unit.h"

static int setup(void **state)
{
    (void)state;
    unsetenv("ADB_VENDOR_KEYS");
    return sl_adb_home_make();
}

static int teardown(void **state)
{
    (void)state;
    return sl_adb_home_remove();
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

TEST_WITH(the_first_key_is_made_once_and_only_its_owner_may_read_it, setup, teardown)
{
    char first[SL_ADB_KEY_TEXT_BYTES], again[SL_ADB_KEY_TEXT_BYTES];
    struct sl_diag diag;
    struct stat info;
    assert_int_equal(sl_adb_key_public(first, &diag), 0);
    assert_int_equal(sl_adb_key_public(again, &diag), 0);
    assert_string_equal(first, again);
    assert_int_equal(strcspn(first, " "), 700);
    assert_memory_equal(first, "QAAAA", 5); /* 64 words */
    assert_int_equal(stat(sl_adb_home_path(".android/adbkey"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(access(sl_adb_home_path(".android/adbkey.pub"), R_OK), 0);
}

/* In a container that shares the folder, a process of the same number may be making one. */
TEST_WITH(a_key_that_is_made_takes_nobody_elses_file, setup, teardown)
{
    char text[SL_ADB_KEY_TEXT_BYTES], other[64];
    struct sl_diag diag;
    struct stat info;
    snprintf(other, sizeof(other), ".android/adbkey.%d", (int)getpid());
    assert_int_equal(mkdir(sl_adb_home_path(".android"), 0700), 0);
    write_file(sl_adb_home_path(other), "another's\n");
    assert_int_equal(sl_adb_key_public(text, &diag), 0);
    assert_int_equal(stat(sl_adb_home_path(other), &info), 0);
    assert_int_equal(info.st_size, strlen("another's\n"));
    assert_int_equal(unlink(sl_adb_home_path(other)), 0);
}

TEST_WITH(a_signature_is_the_same_each_time_and_another_for_another_token, setup, teardown)
{
    uint8_t token[SL_ADB_TOKEN_BYTES] = {0, 1, 2}, first[SL_ADB_SIGNATURE_BYTES],
            second[SL_ADB_SIGNATURE_BYTES];
    struct sl_diag diag;
    assert_int_equal(sl_adb_key_sign(0, token, first, &diag), 0);
    assert_int_equal(sl_adb_key_sign(0, token, second, &diag), 0);
    assert_memory_equal(first, second, sizeof(first));
    token[19] = 1;
    assert_int_equal(sl_adb_key_sign(0, token, second, &diag), 0);
    assert_true(memcmp(first, second, sizeof(first)) != 0);
    assert_int_equal(sl_adb_key_sign(1, token, second, &diag), SL_E_NOT_FOUND);
}

TEST_WITH(a_farms_keys_come_after_ones_own, setup, teardown)
{
    uint8_t token[SL_ADB_TOKEN_BYTES] = {0}, own[SL_ADB_SIGNATURE_BYTES],
            farm[SL_ADB_SIGNATURE_BYTES];
    struct sl_diag diag;
    char list[160];
    assert_int_equal(sl_adb_key_sign(0, token, farm, &diag), 0);
    char from[128];
    snprintf(from, sizeof(from), "%s", sl_adb_home_path(".android/adbkey"));
    assert_int_equal(rename(from, sl_adb_home_path("farm.adb_key")), 0);
    snprintf(list, sizeof(list), "/nonexistent:%s", getenv("HOME")); /* a folder */
    setenv("ADB_VENDOR_KEYS", list, 1);
    assert_int_equal(sl_adb_key_sign(1, token, own, &diag), 0);
    assert_memory_equal(own, farm, sizeof(own));
    assert_int_equal(sl_adb_key_sign(0, token, own, &diag), 0); /* a new one is made */
    assert_true(memcmp(own, farm, sizeof(own)) != 0);
    assert_int_equal(sl_adb_key_sign(2, token, own, &diag), SL_E_NOT_FOUND);
}

TEST_WITH(a_file_that_is_no_key_is_said_and_left_alone, setup, teardown)
{
    char text[SL_ADB_KEY_TEXT_BYTES];
    struct sl_diag diag = {.what = ""};
    assert_int_equal(mkdir(sl_adb_home_path(".android"), 0700), 0);
    write_file(sl_adb_home_path(".android/adbkey"), "nonsense\n");
    assert_int_equal(sl_adb_key_public(text, &diag), SL_E_FORMAT);
    assert_non_null(strstr(diag.where, ".android/adbkey"));
    assert_non_null(strstr(diag.hint, "adb keygen"));
    unsetenv("HOME");
    assert_true(sl_adb_key_public(text, &diag) < 0);
    assert_string_equal(diag.where, "HOME");
}

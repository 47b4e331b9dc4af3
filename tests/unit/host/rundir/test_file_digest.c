/* tests/unit/host/rundir/test_file_digest.c */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/rundir/file_digest.h"

static char path[] = "/tmp/sl-digest-XXXXXX";

static void write_text(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void assert_digest_of(const char *text)
{
    char wanted[SL_SHA256_HEX_SIZE], got[SL_SHA256_HEX_SIZE] = "";
    sl_sha256_hex(text, strlen(text), wanted);
    assert_int_equal(sl_file_digest(path, got), 0);
    assert_string_equal(got, wanted);
}

static void a_file_that_stays_gives_the_same_digest_again(void **state)
{
    (void)state;
    write_text("the agent");
    for (int i = 0; i < 3; i++)
        assert_digest_of("the agent");
}

static void a_file_that_is_written_again_at_the_same_length_is_hashed_again(void **state)
{
    (void)state;
    write_text("one");
    assert_digest_of("one");
    nanosleep(&(struct timespec){.tv_nsec = 20000000},
              NULL); /* past the grain of the file system's clock */
    write_text("two");
    assert_digest_of("two");
}

static void more_files_than_are_kept_are_all_right(void **state)
{
    char name[64], wanted[SL_SHA256_HEX_SIZE], got[SL_SHA256_HEX_SIZE];
    (void)state;
    write_text("many");
    sl_sha256_hex("many", 4, wanted);
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof(name), "%s-%d", path, i % 50);
        if (i < 50)
            assert_int_equal(link(path, name), 0);
        assert_int_equal(sl_file_digest(name, got), 0);
        assert_string_equal(got, wanted);
        if (i >= 50)
            unlink(name);
    }
}

static void a_file_that_is_missing_is_an_error(void **state)
{
    char got[SL_SHA256_HEX_SIZE];
    (void)state;
    assert_int_equal(sl_file_digest("/nonexistent/agent", got), -ENOENT);
    assert_int_equal(sl_file_digest("/tmp", got), -EISDIR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_stays_gives_the_same_digest_again),
        cmocka_unit_test(a_file_that_is_written_again_at_the_same_length_is_hashed_again),
        cmocka_unit_test(more_files_than_are_kept_are_all_right),
        cmocka_unit_test(a_file_that_is_missing_is_an_error),
    };
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return rc;
}

/* tests/unit/host/rundir/test_file_digest.c */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/test.h"

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

TEST(a_file_that_stays_gives_the_same_digest_again)
{
    write_text("the agent");
    for (int i = 0; i < 3; i++)
        assert_digest_of("the agent");
}

TEST(a_file_that_is_written_again_at_the_same_length_is_hashed_again)
{
    write_text("one");
    assert_digest_of("one");
    nanosleep(&(struct timespec){.tv_nsec = 20000000},
              NULL); /* past the grain of the file system's clock */
    write_text("two");
    assert_digest_of("two");
}

TEST(more_files_than_are_kept_are_all_right)
{
    char name[64], wanted[SL_SHA256_HEX_SIZE], got[SL_SHA256_HEX_SIZE];
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

TEST(a_file_that_is_missing_is_an_error)
{
    char got[SL_SHA256_HEX_SIZE];
    assert_int_equal(sl_file_digest("/nonexistent/agent", got), -ENOENT);
    assert_int_equal(sl_file_digest("/tmp", got), -EISDIR);
}

static int make_file(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

TEST_GROUP(make_file, remove_file);

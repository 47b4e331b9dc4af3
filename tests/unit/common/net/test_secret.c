/* tests/unit/common/net/test_secret.c */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/net/secret.h"
#include "tests/support/test.h"

#define DIGITS "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eff"

static char path[] = "/tmp/sl-secret-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(path);
}

static int read_text(const char *text, mode_t mode, uint8_t out[SL_SECRET_BYTES])
{
    struct sl_diag diag = {0};
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(path, mode), 0);
    int rc = sl_secret_read(path, out, &diag);
    assert_int_equal(rc < 0, diag.what[0] != '\0' && diag.hint[0] != '\0');
    return rc;
}

TEST(what_is_written_is_read_again)
{
    uint8_t secret[SL_SECRET_BYTES];
    char text[SL_SECRET_TEXT_BYTES];
    assert_int_equal(read_text(DIGITS "\n", 0600, secret), 0);
    assert_int_equal(secret[1], 1);
    assert_int_equal(secret[31], 255);
    sl_secret_format(secret, text);
    assert_string_equal(text, DIGITS);
    assert_int_equal(read_text(DIGITS, 0400, secret), 0); /* without the line's end */
}

TEST(what_is_no_line_of_64_digits_is_refused)
{
    static const char *const wrong[] = {"", "\n", DIGITS "0", "0" DIGITS, "A" DIGITS, " " DIGITS};
    uint8_t secret[SL_SECRET_BYTES];
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(read_text(wrong[i], 0600, secret), SL_E_FORMAT);
}

TEST(a_secret_counts_until_its_expiry)
{
    uint8_t secret[SL_SECRET_BYTES] = {0};
    char line[128];
    long long now_s = (long long)(sl_clock_utc_ms() / 1000);
    assert_int_equal(read_text(DIGITS " 1\n", 0600, secret), SL_E_STATE);
    snprintf(line, sizeof(line), DIGITS " %lld", now_s);
    assert_int_equal(read_text(line, 0600, secret), SL_E_STATE);
    assert_int_equal(secret[31], 0); /* it is not given out */
    snprintf(line, sizeof(line), DIGITS " %lld\nmore", now_s + 1000);
    assert_int_equal(read_text(line, 0600, secret), 0);
    assert_int_equal(secret[31], 255);
    assert_int_equal(read_text(DIGITS " 999999999999", 0600, secret), 0);
}

TEST(a_time_that_cannot_be_read_is_no_never)
{
    static const char *const wrong[] = {DIGITS " ",    DIGITS " never",         DIGITS "  1",
                                        DIGITS " 1 2", DIGITS " 9999999999999", DIGITS " -1",
                                        " 1"};
    uint8_t secret[SL_SECRET_BYTES];
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(read_text(wrong[i], 0600, secret), SL_E_FORMAT);
}

TEST(a_second_line_may_hold_anything)
{
    static const char *const seconds[] = {"# board 7", "x 700", " 1", "\n 1"};
    char text[128];
    for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++) {
        uint8_t secret[SL_SECRET_BYTES] = {0};
        snprintf(text, sizeof(text), DIGITS "\n%s\n", seconds[i]);
        assert_int_equal(read_text(text, 0600, secret), 0);
        assert_int_equal(secret[31], 255);
    }
}

TEST(a_file_that_others_may_read_is_refused)
{
    uint8_t secret[SL_SECRET_BYTES];
    assert_int_equal(read_text(DIGITS, 0640, secret), -EPERM);
    assert_int_equal(read_text(DIGITS, 0604, secret), -EPERM);
}

TEST(a_file_that_is_not_there_is_named)
{
    uint8_t secret[SL_SECRET_BYTES];
    struct sl_diag diag = {0};
    assert_int_equal(sl_secret_read("/nowhere/secret", secret, &diag), -ENOENT);
    assert_string_equal(diag.where, "/nowhere/secret");
}

TEST_GROUP(set_up, tear_down);

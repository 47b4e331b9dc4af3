/* tests/unit/host/daemon/test_identity.c */
#include "host/daemon/identity.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "tests/support/store_folder.h"
#include "tests/support/test.h"

STORE_TEST(a_host_keeps_its_name_and_another_has_another)
{
    char first[SL_NAME_BYTES], again[SL_NAME_BYTES], other[SL_NAME_BYTES], path[128];
    struct sl_diag diag = {.what = ""};
    assert_int_equal(sl_identity_read(store_folder, first, &diag), 0);
    assert_int_equal(sl_identity_read(store_folder, again, &diag), 0);
    assert_string_equal(first, again);
    snprintf(path, sizeof(path), "%s/host", store_folder);
    remove(path);
    assert_int_equal(sl_identity_read(store_folder, other, &diag), 0);
    assert_string_not_equal(first, other);
    assert_string_equal(diag.hint, "");
}

STORE_TEST(what_is_no_name_is_refused_with_words)
{
    static const char *const bad[] = {"", "\n", "a b\n", "name", "a\nb\n", "../up\n"};
    char name[SL_NAME_BYTES] = "as it was", path[128];
    snprintf(path, sizeof(path), "%s/host", store_folder);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct sl_diag diag = {.what = ""};
        assert_int_equal(sl_buf_write_file(path, bad[i], strlen(bad[i])), 0);
        assert_int_equal(sl_identity_read(store_folder, name, &diag), SL_E_FORMAT);
        assert_non_null(strstr(diag.what, "name"));
        assert_non_null(strstr(diag.hint, "remove"));
        assert_string_equal(name, "as it was");
    }
}

STORE_TEST(a_directory_that_is_not_there_is_said)
{
    char name[SL_NAME_BYTES];
    struct sl_diag diag = {.what = ""};
    assert_true(sl_identity_read("/nowhere/at/all", name, &diag) < 0);
    assert_non_null(strstr(diag.where, "/nowhere/at/all"));
}

STORE_TEST(a_host_keeps_its_token_for_itself)
{
    char first[SL_AUTH_TOKEN_BYTES], again[SL_AUTH_TOKEN_BYTES], digest[SL_DIGEST_BYTES];
    char expected[SL_DIGEST_BYTES], path[128];
    struct sl_diag diag = {.what = ""};
    struct stat info;
    assert_int_equal(sl_identity_token(store_folder, first, digest, &diag), 0);
    assert_int_equal(sl_identity_token(store_folder, again, digest, &diag), 0);
    assert_string_equal(first, again);
    sl_sha256_hex(first, strlen(first), expected);
    assert_string_equal(digest, expected);
    snprintf(path, sizeof(path), "%s/host.token", store_folder);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

STORE_TEST(what_is_no_token_is_refused_with_words)
{
    static const char *const bad[] = {
        "",
        "\n",
        "sl_0\n",
        "xx_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n",
        "sl_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\r\n",
        "sl_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef "};
    char token[SL_AUTH_TOKEN_BYTES] = "as it was", digest[SL_DIGEST_BYTES], path[128];
    snprintf(path, sizeof(path), "%s/host.token", store_folder);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct sl_diag diag = {.what = ""};
        assert_int_equal(sl_buf_write_file(path, bad[i], strlen(bad[i])), 0);
        assert_int_equal(sl_identity_token(store_folder, token, digest, &diag), SL_E_FORMAT);
        assert_non_null(strstr(diag.hint, "remove"));
        assert_string_equal(token, "as it was");
    }
}

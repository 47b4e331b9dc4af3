/* tests/unit/host/peer/test_run_list.c */
#include "host/peer/run_list.h"

#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "tests/support/test.h"

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct sl_run_list list;
static struct sl_diag diag;

static int read_list(const char *text)
{
    diag = (struct sl_diag){.what = ""};
    return sl_run_list_read((struct sl_bytes){(const uint8_t *)text, strlen(text)}, &list, &diag);
}

/* Each of the files of a list that is refused, with words. */
static void assert_refused(const char *file, int rc, const char *words)
{
    char text[2048];
    snprintf(text, sizeof(text), "{\"files\":[%s]}", file);
    assert_int_equal(read_list(text), rc);
    assert_non_null(strstr(diag.what, words));
    assert_int_equal(list.count, 0);
    assert_null(list.files);
}

TEST(artifacts_are_taken_and_their_sources_passed_over)
{
    assert_int_equal(
        read_list("{\"files\":[{\"path\":\"manifest.json\",\"bytes\":7,\"sha256\":\"" DIGEST "\"},"
                  "{\"path\":\"streams/log\",\"bytes\":9},"
                  "{\"path\":\"../manifest.json\",\"bytes\":9,\"sha256\":\"" DIGEST "\"},"
                  "{\"path\":\"toy/a/toy.etdump\",\"bytes\":5,\"sha256\":\"" DIGEST "\"}]}"),
        0);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.files[0].path, "manifest.json");
    assert_string_equal(list.files[1].path, "toy/a/toy.etdump");
    assert_string_equal(list.files[1].sha256, DIGEST);
    assert_int_equal(list.files[1].bytes, 5);
    assert_int_equal(list.bytes, 12);
    sl_run_list_fini(&list);
    assert_int_equal(read_list("{\"files\":[]}"), 0);
    assert_int_equal(list.count, 0);
    sl_run_list_fini(&list);
}

TEST(a_file_without_a_digest_or_with_a_strange_path_is_refused)
{
    char deep[1024];
    assert_refused("{\"path\":\"a\",\"bytes\":7}", SL_E_FORMAT, "no SHA-256");
    assert_refused("{\"path\":\"a\",\"bytes\":7,\"sha256\":\"0123\"}", SL_E_FORMAT, "no SHA-256");
    assert_refused("{\"path\":\"a\",\"bytes\":7,\"sha256\":\"" DIGEST "0\"}", SL_E_FORMAT,
                   "no SHA-256");
    assert_refused("{\"path\":\"a/b/c/d\",\"bytes\":7,\"sha256\":\"" DIGEST "\"}", SL_E_FORMAT,
                   "no path");
    snprintf(deep, sizeof(deep), "{\"path\":\"%0600d\",\"bytes\":7,\"sha256\":\"" DIGEST "\"}", 0);
    assert_refused(deep, SL_E_FORMAT, "no path");
    assert_refused("{\"path\":\"a\",\"bytes\":-1,\"sha256\":\"" DIGEST "\"}", SL_E_FORMAT, "");
    assert_refused("{\"bytes\":7}", SL_E_FORMAT, "");
    assert_refused("7", SL_E_FORMAT, "");
    assert_int_equal(read_list("[]"), SL_E_FORMAT);
    assert_int_equal(read_list("<html>"), SL_E_FORMAT);
}

TEST(too_many_files_or_bytes_are_refused)
{
    static char text[200 * (SL_RUN_LIST_MAX_FILES + 2)];
    size_t at = (size_t)snprintf(text, sizeof(text), "{\"files\":[");
    for (int i = 0; i <= SL_RUN_LIST_MAX_FILES; i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at,
                               "%s{\"path\":\"f%d\",\"bytes\":1,\"sha256\":\"" DIGEST "\"}",
                               i ? "," : "", i);
    snprintf(text + at, sizeof(text) - at, "]}");
    assert_int_equal(read_list(text), SL_E_LIMIT);
    assert_refused("{\"path\":\"a\",\"bytes\":1073741824,\"sha256\":\"" DIGEST "\"},"
                   "{\"path\":\"b\",\"bytes\":1,\"sha256\":\"" DIGEST "\"}",
                   SL_E_LIMIT, "1 GiB");
}

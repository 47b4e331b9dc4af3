/* tests/unit/host/http/test_api_store.c: the store beside its files, and the bytes of its blobs,
 * over HTTP. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/buf.h"
#include "host/http/context.h"
#include "tests/support/http_case.h"
#include "tests/support/unit.h"

#define CURL(...) sl_http_case_curl(&bench, false, __VA_ARGS__, (char *)NULL)

#define FIRST SL_HTTP_CASE_MODEL /* which the case made, of other bytes */
#define LAST "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"

#define CAPITALS "?after=FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"

static struct sl_http_case bench;

static int open_server(void **state)
{
    *state = &bench;
    sl_http_case_open(&bench, 0, 0);
    return 0;
}

static int close_server(void **state)
{
    *state = NULL;
    sl_http_case_close(&bench);
    return 0;
}

static void path_of(const char *name, char out[256])
{
    snprintf(out, 256, "%s/%s", bench.folder, name);
}

static void put(const char *name, const char *text)
{
    char path[256];
    path_of(name, path);
    assert_int_equal(sl_buf_write_file(path, text, strlen(text)), 0);
}

static bool is_there(const char *name)
{
    struct stat info;
    char path[256];
    path_of(name, path);
    return lstat(path, &info) == 0;
}

TEST_WITH(damaged_blobs_are_told_and_set_aside_by_post_alone, open_server, close_server)
{
    static const char path[] = "/api/v1/store/data";
    put("blobs/" LAST, "nor that");
    assert_int_equal(CURL(path), 200);
    assert_string_equal(bench.body, "{\"findings\":[{\"kind\":\"damaged-blob\",\"name\":\"" FIRST
                                    "\",\"run\":null,\"job\":null,\"bytes\":5,\"mended\":false},"
                                    "{\"kind\":\"damaged-blob\",\"name\":\"" LAST
                                    "\",\"run\":null,\"job\":null,\"bytes\":8,\"mended\":false}],"
                                    "\"files\":2,\"bytes\":13,\"next\":null}");
    assert_true(is_there("blobs/" FIRST) && is_there("blobs/" LAST));
    assert_int_equal(
        CURL("/api/v1/store/data?after=" FIRST, "-H", "Content-Type: application/json", "-d", "{}"),
        200);
    assert_non_null(strstr(bench.body, "\"mended\":true"));
    assert_non_null(strstr(bench.body, "\"files\":1,"));
    assert_true(is_there("blobs/" FIRST) && is_there("blobs/" LAST ".damaged"));
    assert_false(is_there("blobs/" LAST));
}

TEST_WITH(a_place_that_is_no_digest_is_refused, open_server, close_server)
{
    static const char *const bad[] = {"?after=x", "?after=../../etc/passwd", "?after=" FIRST "1",
                                      "?after=" FIRST "&after=" LAST, CAPITALS};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char path[256];
        snprintf(path, sizeof(path), "/api/v1/store/data%s", bad[i]);
        assert_int_equal(CURL(path), 400);
        assert_non_null(strstr(bench.body, "bad-query"));
    }
}

TEST_WITH(one_request_at_a_time_reads_the_blobs, open_server, close_server)
{
    bench.http->reading_blobs = true;
    assert_int_equal(CURL("/api/v1/store/data"), 503);
    assert_non_null(strstr(bench.body, "busy"));
    bench.http->reading_blobs = false;
    assert_int_equal(CURL("/api/v1/store/data"), 200);
}

TEST_WITH(what_lies_among_the_runs_is_told_whatever_its_name, open_server, close_server)
{
    char path[256];
    path_of("runs", path);
    assert_int_equal(mkdir(path, 0700) == 0 || errno == EEXIST, 1);
    put("runs/a\"\n\x1b[2J\xff", "x");
    assert_int_equal(CURL("/api/v1/store/check"), 200);
    assert_string_equal(
        bench.body,
        "{\"findings\":[{\"kind\":\"stray\",\"name\":\"runs/a\\\"\\u000a\\u001b[2J\xef\xbf"
        "\xbd\",\"run\":null,\"job\":null,\"bytes\":1,\"mended\":false}],\"more\":0}");
}

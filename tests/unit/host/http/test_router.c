/* tests/unit/host/http/test_router.c */
#include "host/http/router.h"
#include "tests/support/unit.h"

static char param[2][SL_HTTP_PARAM_BYTES];
static int methods;

TEST(parameters_come_out_of_the_path)
{
    assert_non_null(sl_http_find_route(SL_HTTP_GET, "/api/v1/jobs/12/events", param, &methods));
    assert_string_equal(param[0], "12");
    assert_non_null(
        sl_http_find_route(SL_HTTP_GET, "/api/v1/runs/3/files/a/b.etdump", param, &methods));
    assert_string_equal(param[0], "3");
    assert_string_equal(param[1], "files/a/b.etdump");
    assert_non_null(
        sl_http_find_route(SL_HTTP_POST, "/api/v1/devices/box/release", param, &methods));
    assert_string_equal(param[1], "release");
}

TEST(the_more_special_of_two_patterns_wins)
{
    const struct sl_http_route *files, *file;
    files = sl_http_find_route(SL_HTTP_GET, "/api/v1/runs/3/files", param, &methods);
    file = sl_http_find_route(SL_HTTP_GET, "/api/v1/runs/3/etdump", param, &methods);
    assert_non_null(files);
    assert_non_null(file);
    assert_ptr_not_equal(files->handler, file->handler);
}

TEST(a_wrong_method_says_which_there_are)
{
    assert_null(sl_http_find_route(SL_HTTP_PUT, "/api/v1/jobs", param, &methods));
    assert_int_equal(methods, SL_HTTP_GET | SL_HTTP_HEAD | SL_HTTP_POST);
    assert_null(sl_http_find_route(0, "/healthz", param, &methods));
    assert_int_equal(methods, SL_HTTP_GET | SL_HTTP_HEAD);
    assert_null(sl_http_find_route(SL_HTTP_DELETE, "/api/v1/blobs/0", param, &methods));
    assert_int_equal(methods, SL_HTTP_GET | SL_HTTP_HEAD | SL_HTTP_PUT);
    /* devices/{}/{} would take POST of what has a path of its own */
    assert_null(sl_http_find_route(SL_HTTP_POST, "/api/v1/devices/a/results", param, &methods));
    assert_int_equal(methods, SL_HTTP_GET | SL_HTTP_HEAD);
}

TEST(what_no_pattern_has_is_nowhere)
{
    static const char *const paths[] = {"",
                                        "/nowhere",
                                        "/api",
                                        "/api/v1/jobs/",
                                        "/api/v1/jobs//events",
                                        "/api/v1/jobs/1/events/",
                                        "/api/v1/devices/a/b/c",
                                        "/healthz/"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        assert_null(sl_http_find_route(SL_HTTP_GET, paths[i], param, &methods));
        assert_int_equal(methods, 0);
    }
}

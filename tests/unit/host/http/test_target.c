/* tests/unit/host/http/test_target.c */
#include "host/http/target.h"

#include "tests/support/unit.h"

static char path[SL_HTTP_PATH_BYTES];
static const char *query, *why;

static int read_text(const char *method, const char *target)
{
    return sl_http_target_read(method, target, path, &query, &why);
}

TEST(paths_are_decoded_and_queries_are_kept)
{
    assert_int_equal(read_text("GET", "/a%20b%2Fc+d?x=%41"), 0);
    assert_string_equal(path, "/a b/c+d");
    assert_string_equal(query, "x=%41");
    assert_int_equal(read_text("GET", "/"), 0);
    assert_null(query);
    assert_int_equal(read_text("OPTIONS", "*"), 0);
    assert_string_equal(path, "*");
}

TEST(an_absolute_uri_stands_for_its_path)
{
    assert_int_equal(read_text("GET", "HTTPS://a:8/b?c"), 0);
    assert_string_equal(path, "/b");
    assert_string_equal(query, "c");
    assert_int_equal(read_text("GET", "http://a?c=/"), 0);
    assert_string_equal(path, "/");
    assert_string_equal(query, "c=/");
}

TEST(a_path_with_a_zero_is_no_path)
{
    assert_int_equal(read_text("GET", "/a%00b"), 0);
    assert_string_equal(path, "");
}

TEST(what_is_no_path_is_refused)
{
    static const char *const targets[] = {"*",    "a",   "http:///a", "ftp://a/b",
                                          "/a#b", "/%4", "/%g0",      "/a?%"};
    static char longer[SL_HTTP_PATH_BYTES + 1];
    (void)state;
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
        assert_int_equal(read_text("GET", targets[i]), -400);
    memset(longer, '/', sizeof(longer) - 1);
    assert_int_equal(read_text("GET", longer), -414);
    longer[SL_HTTP_PATH_BYTES - 1] = '\0';
    assert_int_equal(read_text("GET", longer), 0);
}

TEST(parameters_are_found_and_decoded)
{
    char value[8];
    (void)state;
    assert_int_equal(sl_http_query_find("ab=1&a=%41+b&aa=2&c", "a", value, sizeof(value)), 3);
    assert_string_equal(value, "A b");
    assert_int_equal(sl_http_query_find("ab=1&c", "a", value, sizeof(value)), 0);
    assert_int_equal(sl_http_query_find("ab=1&c", "c", value, sizeof(value)), 0);
    assert_int_equal(sl_http_query_find("a=1&b&a=1", "a", value, sizeof(value)), -1);
    assert_string_equal(value, "");
    assert_int_equal(sl_http_query_find(NULL, "a", value, sizeof(value)), 0);
    assert_int_equal(sl_http_query_find("a=1234567", "a", value, sizeof(value)), 7);
    assert_int_equal(sl_http_query_find("a=12345678", "a", value, sizeof(value)), -1);
    assert_int_equal(sl_http_query_find("a=1%002", "a", value, sizeof(value)), -1);
}

TEST(an_empty_parameter_is_there)
{
    assert_true(sl_http_query_has("b=1&a=", "a"));
    assert_true(sl_http_query_has("a", "a"));
    assert_false(sl_http_query_has("ab=1", "a"));
    assert_false(sl_http_query_has(NULL, "a"));
}

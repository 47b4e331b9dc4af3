/* tests/unit/host/spec/test_url.c */
#include "host/spec/url.h"

#include <string.h>

#include "tests/support/unit.h"

TEST(bytes_with_a_meaning_are_escaped)
{
    char url[64] = "/files/";
    assert_true(sl_url_path(url, sizeof(url), "a b/c#d?e%41&f\n\x1b\xff+~.x"));
    assert_string_equal(url, "/files/a%20b/c%23d%3Fe%2541%26f%0A%1B%FF%2B~.x");
}

TEST(a_value_of_a_query_escapes_slashes_too)
{
    char url[64] = "/runs";
    assert_true(sl_url_query(url, sizeof(url), "model", "a/b&c"));
    assert_true(sl_url_query(url, sizeof(url), "device", NULL));
    assert_true(sl_url_query(url, sizeof(url), "limit", "5"));
    assert_string_equal(url, "/runs?model=a%2Fb%26c&limit=5");
}

TEST(what_does_not_fit_leaves_the_url_as_it_was)
{
    char url[16] = "/files/";
    assert_false(sl_url_path(url, sizeof(url), "123456789"));
    assert_string_equal(url, "/files/");
    assert_true(sl_url_path(url, sizeof(url), "12345"));
    assert_false(sl_url_query(url, sizeof(url), "name", "value"));
}

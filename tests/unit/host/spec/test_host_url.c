/* tests/unit/host/spec/test_host_url.c */
#include "host/spec/host_url.h"

#include <string.h>

#include "host/records.h"
#include "tests/support/test.h"

TEST(a_host_is_reached_at_a_name_or_number_and_a_port)
{
    static const char *const good[] = {"http://lab-a", "https://lab-a.example:8443",
                                       "http://127.0.0.1:80", "http://[::1]:65535",
                                       "https://[::1]"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_true(sl_host_url_ok(good[i]));
}

TEST(nothing_else_is_an_address)
{
    static const char *const bad[] = {"",
                                      "lab-a:80",
                                      "tcp:lab-a:80",
                                      "http://",
                                      "http://:80",
                                      "http://lab-a:",
                                      "http://lab-a:123456",
                                      "http://lab-a:8x",
                                      "http://user@lab-a",
                                      "http://lab-a/",
                                      "http://lab-a/path",
                                      "http://lab-a?x",
                                      "http://lab a",
                                      "http://[::1",
                                      "http://[]:80",
                                      "http://[::1]x",
                                      "file:///etc/passwd",
                                      "http://lab-a\r\nx: y"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(sl_host_url_ok(bad[i]));
    char most[SL_URL_BYTES + 8] = "http://";
    memset(most + 7, 'a', SL_URL_BYTES - 8);
    assert_true(sl_host_url_ok(most));
    strcat(most, "a");
    assert_false(sl_host_url_ok(most));
}

TEST(what_goes_over_tls_is_sealed)
{
    assert_true(sl_host_url_is_sealed("https://lab-a"));
    assert_false(sl_host_url_is_sealed("http://lab-a"));
    assert_false(sl_host_url_is_sealed(""));
}

/* tests/unit/host/spec/test_web_origin.c */
#include "host/spec/web_origin.h"

#include <string.h>

#include "tests/support/test.h"

TEST(what_browsers_say_is_taken)
{
    static const char *const texts[] = {
        "https://lab.example",   "http://localhost:3000", "http://127.0.0.1:8080",
        "https://[2001:db8::1]", "https://[::1]:8443",    "https://xn--bcher-kva.example:65535",
        "http://lab.example:443"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        const char *trouble = sl_web_origin_trouble(texts[i]);
        if (trouble)
            fail_msg("%s: %s", texts[i], trouble);
    }
}

TEST(what_no_browser_says_is_told_why)
{
    static const struct {
        const char *text, *trouble;
    } cases[] = {
        {"", "begins with"},
        {"*", "begins with"},
        {"null", "begins with"},
        {"lab.example", "begins with"},
        {"HTTPS://lab.example", "begins with"},
        {"file:///x", "begins with"},
        {"https://", "its host"},
        {"https://*", "its host"},
        {"https:///x", "its host"},
        {"https://:80", "its host"},
        {"https://[]", "its host"},
        {"https://[::1", "its host"},
        {"https://Lab.example", "its host"},
        {"https://lab.Example", "lower case"},
        {"https://*.example", "its host"},
        {"https://lab.example/", "ends with"},
        {"https://lab.example/a", "ends with"},
        {"https://lab.example?", "ends with"},
        {"https://user@lab.example", "ends with"},
        {"https://lab.example, https://b.example", "ends with"},
        {"https://lab.example\r\nX: y", "ends with"},
        {"https://lab.example:", "its port"},
        {"https://lab.example:0", "its port"},
        {"https://lab.example:08", "its port"},
        {"https://lab.example:65536", "its port"},
        {"https://lab.example:99999999999", "its port"},
        {"https://lab.example:80x", "its port"},
        {"https://lab.example:8443/", "its port"},
        {"https://lab.example:443", "own port"},
        {"http://lab.example:80", "own port"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *trouble = sl_web_origin_trouble(cases[i].text);
        if (!trouble || !strstr(trouble, cases[i].trouble))
            fail_msg("%s: %s", cases[i].text, trouble ? trouble : "taken");
    }
}

TEST(one_that_is_too_long_is_refused)
{
    char text[SL_WEB_ORIGIN_BYTES + 1] = "https://";
    memset(text + strlen(text), 'a', sizeof(text) - 1 - strlen(text));
    text[SL_WEB_ORIGIN_BYTES] = '\0';
    assert_non_null(strstr(sl_web_origin_trouble(text), "too long"));
    text[SL_WEB_ORIGIN_BYTES - 1] = '\0';
    assert_null(sl_web_origin_trouble(text));
}

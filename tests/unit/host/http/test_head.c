/* tests/unit/host/http/test_head.c */
#include "host/http/head.h"

#include "tests/support/unit.h"

static int read_text(const char *text, char *copy, struct sl_http_head *head)
{
    struct sl_http_head_scan scan = {0};
    const char *why = NULL;
    int len = sl_http_head_find(&scan, (const uint8_t *)text, strlen(text));
    if (len <= 0)
        return len < 0 ? len : 1;
    memcpy(copy, text, (size_t)len);
    copy[len] = '\0';
    return sl_http_head_read(copy, (size_t)len, head, &why);
}

TEST(a_head_gives_method_target_version_and_fields)
{
    char copy[256];
    struct sl_http_head head;
    assert_int_equal(
        read_text("\r\nGET /a?b HTTP/1.0\r\nHOST:a\r\nX-Y: \t b c \t\r\nE:\r\n\r\nnext", copy,
                  &head),
        0);
    assert_string_equal(head.method, "GET");
    assert_string_equal(head.target, "/a?b");
    assert_int_equal(head.minor, 0);
    assert_int_equal(head.count, 3);
    assert_string_equal(sl_http_head_field(&head, "host"), "a");
    assert_string_equal(sl_http_head_field(&head, "x-y"), "b c");
    assert_string_equal(sl_http_head_field(&head, "e"), "");
    assert_string_equal(sl_http_head_field(&head, "none"), "");
}

TEST(a_field_that_stands_twice_has_no_value)
{
    char copy[256];
    struct sl_http_head head;
    assert_int_equal(read_text("GET / HTTP/1.1\r\nA: 1\r\na: 1\r\n\r\n", copy, &head), 0);
    assert_null(sl_http_head_field(&head, "a"));
}

TEST(a_head_ends_at_its_empty_line_however_it_comes)
{
    static const char text[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET";
    struct sl_http_head_scan scan = {0};
    for (size_t i = 0; i < sizeof(text) - 4; i++)
        assert_int_equal(sl_http_head_find(&scan, (const uint8_t *)text, i), 0);
    assert_int_equal(sl_http_head_find(&scan, (const uint8_t *)text, sizeof(text) - 1),
                     sizeof(text) - 4);
}

TEST(what_no_request_begins_with_is_refused_before_it_ends)
{
    static const char *const texts[] = {"\x16\x03\x01", "GET / HTTP/1.1\n", "GET\t/", "\r\r",
                                        "GET / HTTP/1.1\r\nA: b\x01"};
    char copy[256];
    struct sl_http_head head;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_int_equal(read_text(texts[i], copy, &head), -400);
}

TEST(wrong_heads_have_their_status)
{
    static const struct {
        const char *text;
        int status;
    } cases[] = {
        {"GET / HTTP/1.1 \r\n\r\n", -400},       {"GET /\r\n\r\n", -400},
        {"GE(T / HTTP/1.1\r\n\r\n", -400},       {"GET / HTTP/1.x\r\n\r\n", -400},
        {"GET /\x80 HTTP/1.1\r\n\r\n", -400},    {"GET / HTTP/3.0\r\n\r\n", -505},
        {"GET / HTTP/1.1\r\nA\r\n\r\n", -400},   {"GET / HTTP/1.1\r\nA : b\r\n\r\n", -400},
        {"GET / HTTP/1.1\r\n: b\r\n\r\n", -400}, {"GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", -400}};
    char copy[256];
    struct sl_http_head head;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(read_text(cases[i].text, copy, &head), cases[i].status);
}

TEST(long_heads_have_their_status)
{
    static char text[SL_HTTP_MAX_HEAD_BYTES + 64], copy[sizeof(text)];
    struct sl_http_head head;
    memset(text, 'a', sizeof(text) - 1);
    assert_int_equal(read_text(text, copy, &head), -414);
    memcpy(text, "GET / HTTP/1.1\r\nA:", 18);
    assert_int_equal(read_text(text, copy, &head), -431);
    size_t used = (size_t)snprintf(text, sizeof(text), "GET / HTTP/1.1\r\n");
    for (int i = 0; i <= SL_HTTP_MAX_FIELDS; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "A%d: b\r\n", i);
    snprintf(text + used, sizeof(text) - used, "\r\n");
    assert_int_equal(read_text(text, copy, &head), -431);
}

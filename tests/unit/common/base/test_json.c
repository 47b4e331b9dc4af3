/* tests/unit/common/base/test_json.c */
#include "common/base/json.h"

#include <errno.h>
#include <math.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "tests/support/unit.h"

TEST(every_kind_of_value_is_written)
{
    struct sl_buf buf;
    struct sl_json json;
    sl_buf_init(&buf, 10000);
    sl_json_init(&json, &buf);
    sl_json_open_object(&json, NULL);
    sl_json_u64(&json, "u", UINT64_MAX);
    sl_json_i64(&json, "i", INT64_MIN);
    sl_json_f64(&json, "d", 0.1);
    sl_json_f64(&json, "third", 1.0 / 3);
    sl_json_f64(&json, "inf", INFINITY);
    sl_json_bool(&json, "yes", true);
    sl_json_open_array(&json, "list");
    sl_json_null(&json, NULL);
    sl_json_text(&json, NULL, "x");
    sl_json_text(&json, NULL, NULL);
    sl_json_close_array(&json);
    sl_json_open_object(&json, "empty");
    sl_json_close_object(&json);
    sl_json_close_object(&json);
    assert_int_equal(json.error, 0);
    assert_string_equal((char *)buf.data,
                        "{\"u\":18446744073709551615,\"i\":-9223372036854775808,\"d\":0.1,"
                        "\"third\":0.3333333333333333,\"inf\":null,\"yes\":true,"
                        "\"list\":[null,\"x\",null],\"empty\":{}}");
    sl_buf_fini(&buf);
}

TEST(text_is_escaped_and_made_utf8)
{
    static const struct {
        const char *text, *json;
    } cases[] = {
        {"a\"b\\c\n\x01", "\"a\\\"b\\\\c\\u000a\\u0001\""},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""},
        {"\xff", "\"\xef\xbf\xbd\""},
        {"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""},                 /* overlong */
        {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}, /* surrogate */
        {"\xf0\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}, /* cut */
        {"\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_buf buf;
        struct sl_json json;
        sl_buf_init(&buf, 1000);
        sl_json_init(&json, &buf);
        sl_json_text(&json, NULL, cases[i].text);
        assert_string_equal((char *)buf.data, cases[i].json);
        sl_buf_fini(&buf);
    }
}

TEST(first_failure_sticks)
{
    struct sl_buf buf;
    struct sl_json json;
    sl_buf_init(&buf, 4);
    sl_json_init(&json, &buf);
    sl_json_open_array(&json, NULL);
    sl_json_u64(&json, NULL, 123456);
    assert_int_equal(json.error, SL_E_LIMIT);
    sl_json_u64(&json, NULL, 1);
    assert_int_equal(buf.size, 1);
    sl_buf_fini(&buf);
    sl_buf_init(&buf, 1000);
    sl_json_init(&json, &buf);
    for (unsigned i = 0; i < 2 * SL_JSON_MAX_DEPTH; i++)
        sl_json_open_array(&json, NULL);
    for (unsigned i = 0; i < 3 * SL_JSON_MAX_DEPTH; i++)
        sl_json_close_array(&json);
    assert_int_equal(json.error, SL_E_LIMIT);
    sl_buf_fini(&buf);
    sl_buf_init(&buf, 1000);
    sl_json_init(&json, &buf);
    sl_mem_fail_nth(1);
    sl_json_bool(&json, NULL, false);
    sl_mem_fail_nth(0);
    assert_int_equal(json.error, -ENOMEM);
    sl_buf_fini(&buf);
}

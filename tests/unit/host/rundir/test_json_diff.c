/* tests/unit/host/rundir/test_json_diff.c */
#include "host/rundir/json_diff.h"

#include <cjson/cJSON.h>

#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "host/report/json_copy.h"
#include "tests/support/test.h"

static char found[1024];

static void on_difference(void *user, const char *pointer, const char *said, const char *right)
{
    size_t len = strlen(found);
    (void)user;
    snprintf(found + len, sizeof(found) - len, "%s: %s, %s\n", pointer, said, right);
}

static void assert_differs(const char *said, const char *right, const char *wanted)
{
    struct sl_json_diff diff = {.on_difference = on_difference, .pointer = "#"};
    cJSON *a = cJSON_Parse(said), *b = cJSON_Parse(right);
    assert_true(a && b);
    found[0] = '\0';
    sl_json_diff(&diff, a, b);
    assert_string_equal(found, wanted);
    cJSON_Delete(a);
    cJSON_Delete(b);
}

TEST(equal_values_differ_nowhere_whatever_their_members_order)
{
    assert_differs("{\"a\":[1,null,true],\"b\":\"x\"}", "{\"b\":\"x\",\"a\":[1,null,true]}", "");
}

TEST(each_difference_is_told_with_its_pointer)
{
    assert_differs("{\"a\":[1,2],\"b\":\"x\"}", "{\"a\":[1,3],\"b\":\"y\"}",
                   "#/a/1: 2, 3\n#/b: \"x\", \"y\"\n");
    assert_differs("{\"a\":1}", "{\"a\":null}", "#/a: 1, null\n");
    assert_differs("{\"a\":{}}", "{\"a\":[]}", "#/a: an object of 0, an array of 0\n");
    assert_differs("0.1", "0.10000000000000001", "");
    assert_differs("0.1", "0.10000000000000002", "#: 0.10000000000000001, 0.10000000000000002\n");
}

TEST(what_one_side_lacks_is_nothing_there)
{
    assert_differs("{\"a\":1}", "{\"b\":2}", "#/b: nothing, 2\n#/a: 1, nothing\n");
    assert_differs("[1]", "[1,2]", "#/1: nothing, 2\n");
    assert_differs("[1,2]", "[1]", "#/1: 2, nothing\n");
}

TEST(of_two_members_of_one_name_the_second_is_one_too_many)
{
    assert_differs("{\"a\":1,\"a\":2}", "{\"a\":1}", "#/a: 2, nothing\n");
}

static void assert_copied(const char *text, const char *wanted)
{
    struct sl_buf out;
    struct sl_json json;
    cJSON *value = cJSON_Parse(text);
    sl_buf_init(&out, 1 << 16);
    sl_json_init(&json, &out);
    sl_json_copy(&json, NULL, value);
    assert_int_equal(json.error, 0);
    assert_int_equal(out.size, strlen(wanted));
    assert_memory_equal(out.data, wanted, out.size);
    sl_buf_fini(&out);
    cJSON_Delete(value);
}

TEST(a_copy_is_the_same_json)
{
    assert_copied("{\"a\":[1,-2.5,9007199254740991],\"b\":{\"c\":null,\"d\":false}}",
                  "{\"a\":[1,-2.5,9007199254740991],\"b\":{\"c\":null,\"d\":false}}");
    assert_copied("\"\\u00e9\\n\"", "\"\xc3\xa9\\u000a\"");
}

TEST(what_is_nested_too_deeply_becomes_null)
{
    enum { DEPTH = 64 };
    char text[2 * DEPTH + 2];
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    text[2 * DEPTH] = '\0';
    assert_copied(text, "[[[[[[[[[[[[[[[[[[[[[[[[[[[[null]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
}

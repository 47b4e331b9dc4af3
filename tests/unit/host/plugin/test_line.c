/* tests/unit/host/plugin/test_line.c */
#include "host/plugin/line.h"

#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "tests/support/test.h"

static int read(const char *text, struct sl_plugin_line *line)
{
    struct sl_diag diag = {.what = ""};
    int rc =
        sl_plugin_line_read((struct sl_bytes){(const uint8_t *)text, strlen(text)}, line, &diag);
    assert_int_equal(diag.what[0] != '\0', rc != 0);
    return rc;
}

TEST(an_answer_has_a_number_and_says_how_it_went)
{
    struct sl_plugin_line line;
    assert_int_equal(read("{\"id\": 7, \"ok\": true}", &line), 0);
    assert_int_equal(line.said, SL_PLUGIN_ANSWER);
    assert_int_equal(line.id, 7);
    assert_true(line.ok);
    assert_int_equal(read("{\"id\":8,\"ok\":false,\"error\":\"no \\u001b[31mhub\"}", &line), 0);
    assert_false(line.ok);
    assert_string_equal(line.error, "no ?[31mhub");
}

TEST(a_figure_has_a_name_a_value_and_what_else_is_known)
{
    struct sl_plugin_line line;
    assert_int_equal(
        read("{\"metric\":\"power\",\"unit\":\"W\",\"value\":1.93,\"at_ms\":1700000000000,"
             "\"job\":12}",
             &line),
        0);
    assert_int_equal(line.said, SL_PLUGIN_METRIC);
    assert_string_equal(line.metric, "power");
    assert_string_equal(line.unit, "W");
    assert_true(line.value == 1.93);
    assert_true(line.at_ms == UINT64_C(1700000000000));
    assert_int_equal(line.job, 12);
    assert_int_equal(read("{\"metric\":\"a.b-c_1\",\"value\":-1e15}", &line), 0);
    assert_string_equal(line.unit, "");
    assert_int_equal(line.at_ms, 0);
    assert_int_equal(line.job, 0);
    assert_int_equal(read("{\"metric\":\"t\",\"value\":1,\"unit\":\"\xc2\xb0"
                          "C\"}",
                          &line),
                     0);
}

TEST(everything_else_is_refused_and_changes_nothing)
{
    static const char *const bad[] = {
        "",
        "x",
        "[]",
        "7",
        "{}",
        "{\"id\":1}",
        "{\"ok\":true}",
        "{\"id\":-1,\"ok\":true}",
        "{\"id\":1.5,\"ok\":true}",
        "{\"id\":1,\"ok\":1}",
        "{\"id\":1,\"ok\":true,\"id\":2}",
        "{\"id\":1,\"ok\":true,\"why\":\"x\"}",
        "{\"metric\":\"power\"}",
        "{\"metric\":\"power\",\"value\":null}",
        "{\"metric\":\"power\",\"value\":\"1\"}",
        "{\"metric\":\"power\",\"value\":1e999}",
        "{\"metric\":\"power\",\"value\":1e16}",
        "{\"metric\":\"power\",\"value\":NaN}",
        "{\"metric\":\"\",\"value\":1}",
        "{\"metric\":\"1st\",\"value\":1}",
        "{\"metric\":\"a b\",\"value\":1}",
        "{\"metric\":\"a<b\",\"value\":1}",
        "{\"metric\":\"p\",\"value\":1,\"unit\":\"a b\"}",
        "{\"metric\":\"p\",\"value\":1,\"unit\":\"WWWWWWWWWWWWWWWW\"}",
        "{\"metric\":\"p\",\"value\":1,\"unit\":\"<b>\"}",
        "{\"metric\":\"p\",\"value\":1,\"at_ms\":-5}",
        "{\"metric\":\"p\",\"value\":1,\"vaule\":1}",
        "{\"metric\":\"p\",\"value\":1} {}",
        "{\"metric\":\"p\xff\",\"value\":1}",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct sl_plugin_line line = {.said = 77};
        assert_int_equal(read(bad[i], &line), SL_E_FORMAT);
        assert_int_equal(line.said, 77);
    }
}

TEST(a_name_and_a_line_have_a_longest)
{
    char text[SL_PLUGIN_LINE_BYTES + 2];
    struct sl_plugin_line line;
    memset(text, ' ', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(read(text, &line), SL_E_LIMIT);
    snprintf(text, sizeof(text), "{\"metric\":\"%063d\",\"value\":1}", 0);
    text[11] = 'a';
    assert_int_equal(read(text, &line), 0);
    snprintf(text, sizeof(text), "{\"metric\":\"a%063d\",\"value\":1}", 0);
    assert_int_equal(read(text, &line), SL_E_FORMAT);
}

struct heard {
    char text[256];
    int cut;
};

static void on_line(void *user, struct sl_bytes line, bool whole)
{
    struct heard *heard = user;
    size_t used = strlen(heard->text);
    heard->cut += !whole;
    snprintf(heard->text + used, sizeof(heard->text) - used, "<%.*s>",
             line.size < 40 ? (int)line.size : 3, (const char *)line.data);
}

TEST(bytes_become_lines_however_they_come)
{
    static const char text[] = "one\n\ntwo\r\n\nthree\nrest";
    for (size_t step = 1; step <= sizeof(text); step++) {
        struct sl_plugin_lines lines = {.size = 0};
        struct heard heard = {.text = ""};
        for (size_t at = 0; at < sizeof(text) - 1; at += step) {
            size_t left = sizeof(text) - 1 - at;
            sl_plugin_lines_take(&lines, text + at, left < step ? left : step, on_line, &heard);
        }
        assert_string_equal(heard.text, "<one><><two><><three>");
        assert_int_equal(heard.cut, 0);
    }
}

TEST(the_rest_of_a_line_that_is_too_long_is_passed_over)
{
    struct sl_plugin_lines lines = {.size = 0};
    struct heard heard = {.text = ""};
    char full[SL_PLUGIN_LINE_BYTES];
    memset(full, 'x', sizeof(full));
    sl_plugin_lines_take(&lines, full, sizeof(full), on_line, &heard);
    sl_plugin_lines_take(&lines, "\n", 1, on_line, &heard);
    assert_string_equal(heard.text, "<xxx>");
    assert_int_equal(heard.cut, 0);
    for (int i = 0; i < 3; i++)
        sl_plugin_lines_take(&lines, full, sizeof(full), on_line, &heard);
    sl_plugin_lines_take(&lines, "y\nnext\n", 7, on_line, &heard);
    assert_string_equal(heard.text, "<xxx><xxx><next>");
    assert_int_equal(heard.cut, 1);
}

/* tests/unit/host/job/test_run_lines.c */
#include "host/job/run_lines.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/test.h"

static char told[4096];
static unsigned count;

static void on_line(void *user, const char *type, const char *json)
{
    assert_ptr_equal(user, told);
    assert_string_equal(type, "log");
    assert_true(strlen(json) < 512);
    count++;
    snprintf(told + strlen(told), sizeof(told) - strlen(told), "%s\n", json);
}

static void begin(struct sl_job_run_lines *lines)
{
    sl_job_run_lines_init(lines, false, on_line, told);
    told[0] = '\0';
    count = 0;
}

static void take(struct sl_job_run_lines *lines, uint64_t offset, const char *text, uint64_t now_ms)
{
    sl_job_run_lines_take(lines, offset, (const uint8_t *)text, strlen(text), now_ms);
}

TEST(lines_are_told_whole_and_once)
{
    struct sl_job_run_lines lines;
    begin(&lines);
    take(&lines, 0, "load\n\nru", 1000);
    assert_string_equal(told, "{\"part\":\"measured\",\"line\":\"load\"}\n");
    take(&lines, 3, "d\n\nrun", 1000); /* sent again after a lost link */
    take(&lines, 9, " 1\t\"x\"\x1b[0m\nrest", 1000);
    assert_string_equal(told, "{\"part\":\"measured\",\"line\":\"load\"}\n"
                              "{\"part\":\"measured\",\"line\":\"run 1 \\\"x\\\" [0m\"}\n");
    assert_int_equal(lines.offset, 9 + 15);
}

TEST(a_line_without_its_begin_is_left_out)
{
    struct sl_job_run_lines lines;
    begin(&lines);
    take(&lines, 100, "of it\nnext\n", 1000); /* a daemon that came later */
    assert_string_equal(told, "{\"part\":\"measured\",\"line\":\"next\",\"left_out\":1}\n");
}

TEST(more_than_a_few_lines_a_second_are_counted)
{
    struct sl_job_run_lines lines;
    begin(&lines);
    for (uint64_t i = 0; i < 1000; i++)
        take(&lines, 2 * i, "x\n", 5000 + i % 900);
    assert_int_equal(count, SL_JOB_RUN_LINES_A_SECOND);
    told[0] = '\0';
    take(&lines, 2000, "y\n", 6000);
    assert_string_equal(told, "{\"part\":\"measured\",\"line\":\"y\",\"left_out\":995}\n");
    take(&lines, 2002, "z\n", 6000);
    assert_non_null(strstr(told, "{\"part\":\"measured\",\"line\":\"z\"}"));
}

TEST(a_long_line_is_cut_whatever_it_holds)
{
    static const char fills[] = {'a', '"', '\\', '\x01', '\x80', '\xff', '\0'};
    for (size_t i = 0; i < sizeof(fills); i++) {
        struct sl_job_run_lines lines;
        uint8_t text[3000];
        begin(&lines);
        memset(text, fills[i], sizeof(text) - 1);
        text[sizeof(text) - 1] = '\n';
        sl_job_run_lines_take(&lines, 0, text, sizeof(text), 1000);
        assert_int_equal(count, 1);
        assert_non_null(strstr(told, "\"cut\":true"));
        assert_int_equal(lines.len, 0);
    }
}

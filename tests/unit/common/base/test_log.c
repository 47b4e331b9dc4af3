/* tests/unit/common/base/test_log.c */
#include "common/base/log.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/test.h"

static char text[2 * SL_LOG_MAX_BYTES]; /* what was logged since begin() */
static int log_end, saved;

static void begin(void)
{
    int ends[2];
    fflush(stderr);
    assert_int_equal(pipe(ends), 0);
    saved = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    log_end = ends[0];
}

/* The line behind its time. */
static const char *end(void)
{
    dup2(saved, STDERR_FILENO);
    close(saved);
    ssize_t got = read(log_end, text, sizeof(text) - 1);
    close(log_end);
    assert_true(got > 30);
    text[got] = '\0';
    assert_memory_equal(text, "time=2", 6);
    assert_memory_equal(text + 28, "Z ", 2);
    return text + 30;
}

TEST(a_line_has_time_level_event_and_fields)
{
    begin();
    sl_log(SL_LOG_WARNING, SL_LOG_EVENT("link_down"), SL_LOG_DEVICE("lab-1"),
           SL_LOG_NUMBER("failures", -3), SL_LOG_JOB(UINT64_C(7)), SL_LOG_REASON("none"));
    assert_string_equal(end(), "level=warning event=link_down device=lab-1 failures=-3 job=7 "
                               "reason=\"none\"\n");
}

TEST(an_event_needs_no_fields)
{
    begin();
    sl_log(SL_LOG_INFO, SL_LOG_EVENT("idle_exit"));
    assert_string_equal(end(), "level=info event=idle_exit\n");
}

TEST(values_cannot_forge_fields_or_lines)
{
    begin();
    sl_log(SL_LOG_ERROR, SL_LOG_EVENT("refused"), SL_LOG_TEXT("path", "/a b=\"c\"\\\n\x01"),
           SL_LOG_TEXT("empty", ""));
    assert_string_equal(end(), "level=error event=refused "
                               "path=\"/a b=\\\"c\\\"\\\\\\n\\u0001\" empty=\"\"\n");
}

TEST(a_value_too_long_is_cut_and_closed)
{
    char words[2 * SL_LOG_MAX_BYTES];
    memset(words, 'x', sizeof(words) - 1);
    words[sizeof(words) - 1] = '\0';
    for (size_t extra = 0; extra < 3; extra++) { /* an escape may stand at the cut */
        memset(words + SL_LOG_MAX_BYTES - 90, '"', 80);
        begin();
        sl_log(SL_LOG_ERROR, SL_LOG_EVENT("long"), SL_LOG_REASON(words + extra),
               SL_LOG_TEXT("later", "lost"));
        const char *line = end();
        size_t len = strlen(line);
        assert_true(30 + len <= SL_LOG_MAX_BYTES);
        assert_string_equal(line + len - 2, "\"\n");
        assert_null(strstr(line, "later"));
    }
}

/* tests/unit/agent/run/test_etlog.c */
#include "agent/run/etlog.h"

#include <regex.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/test.h"

static char line[1024];

/* Logs one line with stderr in a pipe; the line, without its end, is then in `line`. */
static void capture(char level, const char *message)
{
    int pipes[2], kept = dup(STDERR_FILENO);
    assert_int_equal(pipe(pipes), 0);
    dup2(pipes[1], STDERR_FILENO);
    sl_etlog(level, "place.cpp", 42, "%s", message);
    dup2(kept, STDERR_FILENO);
    ssize_t len = read(pipes[0], line, sizeof(line) - 1);
    assert_true(len > 0 && line[len - 1] == '\n');
    line[len - 1] = '\0';
    close(pipes[0]);
    close(pipes[1]);
    close(kept);
}

static const char *message_of(void)
{
    return strstr(line, "] ") + 2;
}

TEST(line_has_the_shape_of_executorch)
{
    regex_t shape;
    sl_etlog_start();
    capture('I', "1 outputs: ");
    assert_int_equal(regcomp(&shape,
                             "^I 00:00:00\\.[0-9]{6} executorch:place\\.cpp:42\\] 1 outputs: $",
                             REG_EXTENDED | REG_NOSUB),
                     0);
    assert_int_equal(regexec(&shape, line, 0, NULL, 0), 0);
    regfree(&shape);
}

TEST(long_message_is_cut_at_a_character)
{
    char text[400];
    memset(text, 'a', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    capture('E', text);
    assert_int_equal(strlen(message_of()), 255);
    memcpy(text + 253, "\xe2\x82\xac", 3); /* three bytes, of which two would fit */
    capture('E', text);
    assert_int_equal(strlen(message_of()), 253);
    memcpy(text + 252, "\xe2\x82\xac", 3);
    capture('E', text);
    assert_int_equal(strlen(message_of()), 255);
}

TEST(what_steers_a_terminal_is_not_said)
{
    capture('E', "operator \033[2J\xff of a model");
    assert_string_equal(message_of(), "operator ?[2J? of a model");
}

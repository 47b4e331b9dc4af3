/* tests/unit/common/base/test_say.c */
#define _XOPEN_SOURCE 700 /* pseudo-terminals */

#include "common/base/say.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "tests/support/test.h"

static char *said(const char *format, const char *text)
{
    char *out = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&out, &size);
    assert_non_null(file);
    sl_say(file, strcmp(format, "line") == 0 ? "x %s\n" : "%s", text);
    fclose(file);
    return out;
}

TEST(what_steers_a_terminal_is_not_said)
{
    char *out = said("line", "a\033[31mb\xc2\x9b"
                             "c\xff\td\r\xe2\x80\xae");
    assert_string_equal(out, "x a?[31mb??c?\td????\n");
    free(out);
}

TEST(a_long_text_is_said_whole)
{
    char text[5001];
    memset(text, 'a', sizeof(text) - 1);
    text[4000] = '\033';
    text[5000] = '\0';
    char *out = said("text", text);
    text[4000] = '?';
    assert_string_equal(out, text);
    free(out);
    sl_mem_fail_nth(1);
    out = said("text", text);
    sl_mem_fail_nth(0);
    assert_string_equal(out, "");
    free(out);
}

/* The text that a terminal gets for `bytes`. */
static void shown(void (*say)(FILE *to, const struct sl_buf *text), const char *bytes, size_t size,
                  char out[64])
{
    int controller = posix_openpt(O_RDWR | O_NOCTTY);
    struct sl_buf text = {.data = (uint8_t *)(uintptr_t)bytes, .size = size};
    struct termios mode;
    assert_true(controller >= 0 && grantpt(controller) == 0 && unlockpt(controller) == 0);
    int terminal = open(ptsname(controller), O_RDWR | O_NOCTTY);
    assert_int_equal(tcgetattr(terminal, &mode), 0);
    mode.c_oflag &= ~(tcflag_t)OPOST;
    assert_int_equal(tcsetattr(terminal, TCSANOW, &mode), 0);
    FILE *to = fdopen(terminal, "w");
    assert_non_null(to);
    say(to, &text);
    fflush(to);
    memset(out, 0, 64);
    /* The kernel hands a terminal's bytes over in pieces when it is busy. */
    for (size_t got = 0; got < size;) {
        ssize_t n = read(controller, out + got, 63 - got);
        assert_true(n > 0);
        got += (size_t)n;
    }
    fclose(to);
    close(controller);
}

TEST(a_terminal_gets_a_page_with_its_colours_and_nothing_else_that_steers)
{
    static const char page[] = "\033[1;32mgood\033[0m a\033]0;x\007b\0c\033[2J\033[m";
    char out[64];
    shown(sl_say_page, page, sizeof(page) - 1, out);
    assert_string_equal(out, "\033[1;32mgood\033[0m a?]0;x?b?c?[2J\033[m");
    shown(sl_say_page, "\033", 1, out);
    assert_string_equal(out, "?");
}

TEST(a_terminal_gets_a_file_without_colours)
{
    char out[64];
    shown(sl_say_file, "a\033[8mb\n\0", 8, out);
    assert_string_equal(out, "a?[8mb\n?");
}

TEST(a_file_gets_every_byte)
{
    char *out = NULL;
    size_t size = 0;
    struct sl_buf text = {.data = (uint8_t *)(uintptr_t)"a\033[8m\0b", .size = 7};
    FILE *file = tmpfile();
    assert_non_null(file);
    sl_say_file(file, &text);
    sl_say_page(file, &text);
    rewind(file);
    out = calloc(1, 15);
    size = fread(out, 1, 15, file);
    assert_int_equal(size, 14);
    assert_memory_equal(out, text.data, 7);
    assert_memory_equal(out + 7, text.data, 7);
    free(out);
    fclose(file);
}

TEST(a_line_is_drawn_over_the_one_before)
{
    char *out = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&out, &size);
    assert_non_null(file);
    sl_say_over(file, "%s %d", "a\033[2J\x9b", 5);
    sl_say_over(file, "%s", "");
    fclose(file);
    assert_string_equal(out, "\ra?[2J? 5\033[K\r\033[K");
    free(out);
}

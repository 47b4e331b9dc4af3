/* tests/unit/host/cli/test_say.c */
#include "host/cli/say.h"

#include <stdlib.h>
#include <string.h>

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

/* tests/unit/host/http/test_refusal.c */
#include "host/http/refusal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/unit.h"

enum { TEXT_BYTES = 16384 };

static char text[TEXT_BYTES];
static int kept_stderr;
static FILE *file;

static int setup(void **state)
{
    (void)state;
    fflush(stderr);
    file = tmpfile();
    kept_stderr = dup(STDERR_FILENO);
    return file && kept_stderr >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0 ? 0 : -1;
}

/* The text that was logged, and its number of lines. */
static int read_log(void)
{
    int lines = 0;
    fflush(stderr);
    dup2(kept_stderr, STDERR_FILENO);
    close(kept_stderr);
    rewind(file);
    size_t size = fread(text, 1, sizeof(text) - 1, file);
    text[size] = '\0';
    fclose(file);
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    return lines;
}

TEST_WITH(what_a_peer_chose_cannot_end_the_line, setup, NULL)
{
    struct sl_http_refusals refusals = {0};
    sl_http_refusal_tell(&refusals, 5000, 400, "/a\nlevel=error \"b\" \x7f\xc3", "no");
    assert_int_equal(read_log(), 1);
    assert_non_null(strstr(text, " level=warning event=http_peer_refused status=400 "
                                 "path=\"/a?level=error ?b? ??\" reason=\"no\"\n"));
}

TEST_WITH(a_flood_is_counted_and_not_told, setup, NULL)
{
    struct sl_http_refusals refusals = {0};
    for (int i = 0; i < 1000; i++)
        sl_http_refusal_tell(&refusals, 5000, 0, "", "silent");
    sl_http_refusal_tell(&refusals, 6000, 0, "", "later");
    assert_int_equal(read_log(), SL_HTTP_REFUSALS_A_SECOND + 2);
    assert_non_null(strstr(text, "event=http_refusals_untold count=980\n"));
    assert_non_null(strstr(text, "later"));
}

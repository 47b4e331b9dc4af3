/* agent/run/etlog.c */
#include "agent/run/etlog.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/trace/marks.h"
#include "common/base/clock.h"
#include "common/base/utf8.h"

enum { MESSAGE_BYTES = 255, LINE_BYTES = 512 };

static uint64_t started_us;

void sl_etlog_start(void)
{
    started_us = sl_clock_ns() / 1000;
}

/* Length of `text` without a character that its end cuts through. */
static size_t whole_characters(const char *text, size_t len)
{
    size_t back = 0;
    while (back < 4 && back < len && ((unsigned char)text[len - 1 - back] & 0xc0) == 0x80)
        back++;
    if (back == len)
        return len;
    unsigned char lead = (unsigned char)text[len - 1 - back];
    size_t needs = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    return needs > back + 1 ? len - back - 1 : len;
}

static void write_line(char level, const char *file, int line, const char *message, size_t len)
{
    char text[LINE_BYTES];
    uint64_t us = sl_clock_ns() / 1000 - started_us;
    int size = snprintf(text, sizeof(text),
                        "%c %02" PRIu64 ":%02" PRIu64 ":%02" PRIu64 ".%06" PRIu64
                        " executorch:%.80s:%d] %.*s\n",
                        level, us / 3600000000u, us / 60000000u % 60, us / 1000000u % 60,
                        us % 1000000u, file, line, (int)len, message);
    sl_utf8_clean(text, "\n\t");
    size_t rest = size < (int)sizeof(text) ? (size_t)size : sizeof(text) - 1;
    for (const char *at = text; rest > 0;) {
        ssize_t put = write(STDERR_FILENO, at, rest);
        if (put <= 0)
            return; /* nobody to tell */
        at += put;
        rest -= (size_t)put;
    }
}

void sl_etlog(char level, const char *file, int line, const char *format, ...)
{
    char message[MESSAGE_BYTES + 1];
    va_list args;
    sl_mark_pause();
    va_start(args, format);
    int len = vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    size_t kept = len < 0 ? 0 : (size_t)len;
    if (kept > MESSAGE_BYTES)
        kept = whole_characters(message, MESSAGE_BYTES);
    write_line(level, file, line, message, kept);
    sl_mark_resume();
}

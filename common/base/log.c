/* common/base/log.c */
#include "common/base/log.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"

struct line {
    char bytes[SL_LOG_MAX_BYTES];
    size_t size;
};

/* Appends `len` bytes if they fit with the line's end behind them. */
static bool put(struct line *line, const char *bytes, size_t len)
{
    if (len >= sizeof(line->bytes) - line->size)
        return false;
    memcpy(line->bytes + line->size, bytes, len);
    line->size += len;
    return true;
}

static bool put_text(struct line *line, const char *text)
{
    return put(line, text, strlen(text));
}

static bool is_plain(const char *text)
{
    static const char others[] = "._-:/+,@%";
    if (!*text)
        return false;
    for (const char *c = text; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
              strchr(others, *c)))
            return false;
    return true;
}

/* One character of a value in quotes. */
static bool put_escaped(struct line *line, char c)
{
    char code[8] = {c, '\0'};
    if (c == '"' || c == '\\')
        snprintf(code, sizeof(code), "\\%c", c);
    else if (c == '\n')
        snprintf(code, sizeof(code), "\\n");
    else if ((unsigned char)c < 0x20 || c == 0x7f)
        snprintf(code, sizeof(code), "\\u%04x", (unsigned)c);
    return put_text(line, code);
}

/* The closing quote always has room: each character is put only if a quote fits behind it. */
static void put_quoted(struct line *line, const char *text)
{
    if (!put(line, "\"\"", 2))
        return;
    for (line->size--; *text; text++) {
        size_t before = line->size;
        if (!put_escaped(line, *text) || line->size + 1 >= sizeof(line->bytes)) {
            line->size = before;
            break;
        }
    }
    line->bytes[line->size++] = '"';
}

static void put_field(struct line *line, const struct sl_log_field *field)
{
    char number[32];
    size_t before = line->size;
    bool room = put_text(line, " ") && put_text(line, field->key) && put_text(line, "=");
    if (room && !field->text) {
        snprintf(number, sizeof(number), "%" PRId64, field->number);
        room = put_text(line, number);
    } else if (room && (field->quoted || !is_plain(field->text) || !put_text(line, field->text))) {
        put_quoted(line, field->text);
    }
    if (!room || line->bytes[line->size - 1] == '=')
        line->size = before;
}

void sl_log_write(enum sl_log_level level, const struct sl_log_field *fields)
{
    static const char *const words[] = {"error", "warning", "info"};
    struct line line = {.size = 0};
    char now[SL_CLOCK_TEXT_BYTES];
    put_text(&line, "time=");
    put_text(&line, sl_clock_format(sl_clock_utc_ms(), now));
    put_text(&line, " level=");
    put_text(&line, words[level]);
    for (; fields->key; fields++)
        put_field(&line, fields);
    line.bytes[line.size++] = '\n';
    ssize_t put_bytes = write(STDERR_FILENO, line.bytes, line.size);
    (void)put_bytes; /* a log that cannot be written cannot be told of */
}

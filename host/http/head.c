/* host/http/head.c */
#include "host/http/head.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum { BAD = -400, LONG_LINE = -414, LARGE = -431, OTHER_VERSION = -505 };

int sl_http_head_find(struct sl_http_head_scan *scan, const uint8_t *bytes, size_t size)
{
    for (; scan->at < size && scan->at < SL_HTTP_MAX_HEAD_BYTES; scan->at++) {
        uint8_t byte = bytes[scan->at];
        bool after_cr = scan->at > scan->line && bytes[scan->at - 1] == '\r';
        if (after_cr != (byte == '\n'))
            return BAD; /* CR and LF come together only */
        if (byte == '\r')
            continue;
        if (byte != '\n') {
            if (byte == 0x7f || (byte < ' ' && (byte != '\t' || scan->lines == 0)))
                return BAD; /* nothing to wait for */
            continue;
        }
        bool empty = scan->at - scan->line == 1;
        if (empty && scan->lines > 0)
            return (int)scan->at + 1;
        scan->lines += !empty;
        scan->line = scan->at + 1;
    }
    if (scan->at < SL_HTTP_MAX_HEAD_BYTES)
        return 0;
    return scan->lines == 0 ? LONG_LINE : LARGE;
}

/* RFC 9110, 5.6.2. */
static bool is_token(const char *text)
{
    static const char others[] = "!#$%&'*+-.^_`|~";
    const char *c = text;
    for (; *c; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
        if (!letter && !(*c >= '0' && *c <= '9') && !strchr(others, *c))
            return false;
    }
    return c > text;
}

static int read_version(const char *text, struct sl_http_head *out, const char **why)
{
    *why = "the request line does not end in HTTP/1.1 or HTTP/1.0";
    if (strncmp(text, "HTTP/", 5) != 0 || strlen(text) != 8 || text[6] != '.' || text[5] < '0' ||
        text[5] > '9' || text[7] < '0' || text[7] > '9')
        return BAD;
    *why = "this server speaks HTTP/1.1 and HTTP/1.0";
    if (text[5] != '1')
        return OTHER_VERSION;
    out->minor = text[7] - '0';
    return 0;
}

/* METHOD TARGET HTTP/1.1 with one blank each between them. */
static int read_request_line(char *line, struct sl_http_head *out, const char **why)
{
    char *target = strchr(line, ' '), *version = target ? strchr(target + 1, ' ') : NULL;
    *why = "the first line is not METHOD TARGET HTTP/1.1";
    if (!version)
        return BAD;
    *target++ = '\0';
    *version++ = '\0';
    for (const char *c = target; *c; c++) {
        if (*c <= ' ' || *c > '~')
            return BAD;
    }
    if (!is_token(line) || !*target)
        return BAD;
    out->method = line;
    out->target = target;
    return read_version(version, out, why);
}

static int read_field(char *line, struct sl_http_head *out, const char **why)
{
    char *value = strchr(line, ':');
    *why = "a header is not NAME: VALUE";
    if (!value)
        return BAD;
    *value++ = '\0';
    if (!is_token(line))
        return BAD;
    *why = "there are too many headers";
    if (out->count == SL_HTTP_MAX_FIELDS)
        return LARGE;
    for (char *c = line; *c; c++) {
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    }
    value += strspn(value, " \t");
    size_t len = strlen(value);
    while (len > 0 && (value[len - 1] == ' ' || value[len - 1] == '\t'))
        value[--len] = '\0';
    out->fields[out->count++] = (struct sl_http_field){line, value};
    return 0;
}

int sl_http_head_read(char *text, size_t len, struct sl_http_head *out, const char **out_why)
{
    int rc = 0;
    char *at = text, *limit = text + len;
    memset(out, 0, sizeof(*out));
    while (limit - at > 2 && *at == '\r')
        at += 2; /* empty lines before the request line */
    for (bool first = true; rc == 0 && at < limit; first = false) {
        char *end = memchr(at, '\r', (size_t)(limit - at));
        assert(end && end + 1 < limit && end[1] == '\n');
        *end = '\0';
        if (first)
            rc = read_request_line(at, out, out_why);
        else if (end > at)
            rc = read_field(at, out, out_why);
        at = end + 2;
    }
    return rc;
}

bool sl_http_head_has(const struct sl_http_head *head, const char *name)
{
    for (size_t i = 0; i < head->count; i++)
        if (strcmp(head->fields[i].name, name) == 0)
            return true;
    return false;
}

const char *sl_http_head_field(const struct sl_http_head *head, const char *name)
{
    const char *found = "";
    size_t count = 0;
    for (size_t i = 0; i < head->count; i++) {
        if (strcmp(head->fields[i].name, name) == 0 && count++ == 0)
            found = head->fields[i].value;
    }
    return count > 1 ? NULL : found;
}

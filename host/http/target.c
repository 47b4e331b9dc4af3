/* host/http/target.c */
#include "host/http/target.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { BAD = -400, TOO_LONG = -414 };

static int digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    char lower = (char)(c | 0x20);
    const char *at = c ? strchr(digits, c >= 'A' ? lower : c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Every % stands before two digits. */
static bool is_encoded(const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '%' && (digit(c[1]) < 0 || digit(c[2]) < 0))
            return false;
    }
    return true;
}

/* The length, or -1 when it does not fit. */
static int decode(const char *text, size_t len, char blank, char *out, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < len; i++) {
        if (used + 1 >= size)
            return -1;
        if (text[i] == '%') {
            out[used++] = (char)(digit(text[i + 1]) * 16 + digit(text[i + 2]));
            i += 2;
        } else {
            out[used++] = text[i] == '+' ? blank : text[i];
        }
    }
    out[used] = '\0';
    return (int)used;
}

/* Past scheme and authority of an absolute URI: the path, perhaps empty. NULL: it is none. */
static const char *after_authority(const char *target)
{
    size_t scheme = strncasecmp(target, "http://", 7) == 0    ? 7
                    : strncasecmp(target, "https://", 8) == 0 ? 8
                                                              : 0;
    size_t authority = strcspn(target + scheme, "/?");
    return scheme > 0 && authority > 0 ? target + scheme + authority : NULL;
}

int sl_http_target_read(const char *method, const char *target, char out_path[SL_HTTP_PATH_BYTES],
                        const char **out_query, const char **out_why)
{
    out_path[0] = '\0';
    *out_query = NULL;
    if (strcmp(target, "*") == 0 && strcmp(method, "OPTIONS") == 0) {
        memcpy(out_path, "*", 2);
        return 0;
    }
    const char *path = target[0] == '/' ? target : after_authority(target);
    *out_why = "the request is not for a path";
    if (!path || strchr(path, '#'))
        return BAD;
    *out_why = "a % stands before two hexadecimal digits, and for itself as %25";
    if (!is_encoded(path))
        return BAD;
    size_t len = strcspn(path, "?");
    *out_query = path[len] ? path + len + 1 : NULL;
    if (len == 0) { /* http://host, http://host?query */
        path = "/";
        len = 1;
    }
    int decoded = decode(path, len, '+', out_path, SL_HTTP_PATH_BYTES);
    if (decoded < 0 || strlen(out_path) != (size_t)decoded)
        out_path[0] = '\0';
    return decoded < 0 ? TOO_LONG : 0;
}

/* How often the parameter stands in the query, and what the first has behind its '='. */
static size_t locate(const char *query, const char *name, const char **out_value, size_t *out_len)
{
    size_t len = strlen(name), count = 0;
    *out_len = 0;
    for (const char *at = query, *next; at; at = next) {
        size_t end = strcspn(at, "&");
        next = at[end] ? at + end + 1 : NULL;
        if (end < len || strncmp(at, name, len) != 0 || (at[len] != '=' && end != len))
            continue;
        if (count++ == 0 && end > len) {
            *out_value = at + len + 1;
            *out_len = end - len - 1;
        }
    }
    return count;
}

bool sl_http_query_has(const char *query, const char *name)
{
    const char *value;
    size_t len;
    return locate(query, name, &value, &len) > 0;
}

int sl_http_query_find(const char *query, const char *name, char *out, size_t size)
{
    const char *value;
    size_t len, count = locate(query, name, &value, &len);
    out[0] = '\0';
    int decoded = len > 0 ? decode(value, len, ' ', out, size) : 0;
    if (count > 1 || decoded < 0 || strlen(out) != (size_t)decoded) {
        out[0] = '\0';
        return -1;
    }
    return decoded;
}

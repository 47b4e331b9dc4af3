/* common/base/json.c */
#include "common/base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/utf8.h"

void sl_json_init(struct sl_json *json, struct sl_buf *out)
{
    *json = (struct sl_json){.out = out};
    json->first[0] = true;
}

static void put(struct sl_json *json, const void *bytes, size_t len)
{
    if (json->error == 0)
        json->error = sl_buf_append(json->out, bytes, len);
}

/* How many bytes at `s` go into a string as they are. */
static size_t plain_length(const unsigned char *s)
{
    size_t len = 0, next = 1;
    while (s[len] >= 0x20 && s[len] != '"' && s[len] != '\\' && next > 0) {
        next = sl_utf8_length(s + len);
        next = next > 0 && sl_utf8_steers(s + len, next) ? 0 : next;
        len += next;
    }
    return len;
}

/* The code point of a character of at most three bytes. */
static unsigned code_of(const unsigned char *s, size_t len)
{
    return len == 1   ? s[0]
           : len == 2 ? (s[0] & 0x1fU) << 6 | (s[1] & 0x3fU)
                      : (s[0] & 0x0fU) << 12 | (s[1] & 0x3fU) << 6 | (s[2] & 0x3fU);
}

static void put_string(struct sl_json *json, const char *text)
{
    put(json, "\"", 1);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t len = plain_length(s);
        char escaped[8];
        if (len > 0) {
            put(json, s, len);
            s += len;
        } else if (*s == '"' || *s == '\\') {
            snprintf(escaped, sizeof(escaped), "\\%c", *s++);
            put(json, escaped, 2);
        } else if ((len = sl_utf8_length(s)) > 0) { /* it steers: a terminal may show this text */
            snprintf(escaped, sizeof(escaped), "\\u%04x", code_of(s, len));
            put(json, escaped, 6);
            s += len;
        } else {
            put(json, "\xef\xbf\xbd", 3);
            s++;
        }
    }
    put(json, "\"", 1);
}

static void put_key(struct sl_json *json, const char *key)
{
    if (!json->first[json->depth])
        put(json, ",", 1);
    json->first[json->depth] = false;
    if (key) {
        put_string(json, key);
        put(json, ":", 1);
    }
}

static void open_nest(struct sl_json *json, const char *key, const char *bracket)
{
    put_key(json, key);
    put(json, bracket, 1);
    if (json->depth + 1 >= SL_JSON_MAX_DEPTH) {
        json->error = json->error ? json->error : SL_E_LIMIT;
        return;
    }
    json->first[++json->depth] = true;
}

static void close_nest(struct sl_json *json, const char *bracket)
{
    if (json->depth > 0)
        json->depth--;
    put(json, bracket, 1);
}

void sl_json_open_object(struct sl_json *json, const char *key)
{
    open_nest(json, key, "{");
}

void sl_json_close_object(struct sl_json *json)
{
    close_nest(json, "}");
}

void sl_json_open_array(struct sl_json *json, const char *key)
{
    open_nest(json, key, "[");
}

void sl_json_close_array(struct sl_json *json)
{
    close_nest(json, "]");
}

void sl_json_null(struct sl_json *json, const char *key)
{
    put_key(json, key);
    put(json, "null", 4);
}

void sl_json_text(struct sl_json *json, const char *key, const char *value)
{
    if (!value) {
        sl_json_null(json, key);
        return;
    }
    put_key(json, key);
    put_string(json, value);
}

void sl_json_u64(struct sl_json *json, const char *key, uint64_t value)
{
    char digits[24];
    size_t at = sizeof(digits);
    do
        digits[--at] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    put_key(json, key);
    put(json, digits + at, sizeof(digits) - at);
}

void sl_json_i64(struct sl_json *json, const char *key, int64_t value)
{
    char digits[24];
    put_key(json, key);
    put(json, digits, (size_t)snprintf(digits, sizeof(digits), "%" PRId64, value));
}

void sl_json_f64(struct sl_json *json, const char *key, double value)
{
    char digits[40];
    if (!isfinite(value)) {
        sl_json_null(json, key);
        return;
    }
    put_key(json, key);
    int len = 0;
    for (int precision = 15; precision <= 17; precision++) {
        len = snprintf(digits, sizeof(digits), "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    put(json, digits, (size_t)len);
}

void sl_json_bool(struct sl_json *json, const char *key, bool value)
{
    put_key(json, key);
    put(json, value ? "true" : "false", value ? 4 : 5);
}

void sl_json_raw(struct sl_json *json, const char *key, const char *text)
{
    put_key(json, key);
    put(json, text, strlen(text));
}

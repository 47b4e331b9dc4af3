/* common/base/json.h: a small JSON writer (RFC 8259) for programs without cJSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_buf;

enum { SL_JSON_MAX_DEPTH = 32 };

/* Writes to a borrowed buffer. The first failure sticks in `error` and makes every later call a
 * no-op, so a caller checks once, at the end. */
struct sl_json {
    struct sl_buf *out;
    int error;
    unsigned depth;
    bool first[SL_JSON_MAX_DEPTH];
};

void sl_json_init(struct sl_json *json, struct sl_buf *out);

/* `key` is NULL inside an array and at the top. Text is taken as UTF-8; bytes that are not come out
 * as U+FFFD. A double that is not finite comes out as null. */
void sl_json_open_object(struct sl_json *json, const char *key);
void sl_json_close_object(struct sl_json *json);
void sl_json_open_array(struct sl_json *json, const char *key);
void sl_json_close_array(struct sl_json *json);
void sl_json_text(struct sl_json *json, const char *key, const char *value); /* NULL: null */
void sl_json_u64(struct sl_json *json, const char *key, uint64_t value);
void sl_json_i64(struct sl_json *json, const char *key, int64_t value);
void sl_json_f64(struct sl_json *json, const char *key,
                 double value); /* shortest of 15 to 17 digits */
void sl_json_bool(struct sl_json *json, const char *key, bool value);
void sl_json_null(struct sl_json *json, const char *key);
/* Text that is JSON already goes in as it is. */
void sl_json_raw(struct sl_json *json, const char *key, const char *text);

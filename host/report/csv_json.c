/* host/report/csv_json.c */
#include "host/report/csv_json.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "host/report/text.h"

enum { MAX_COLUMNS = 16, FIELD_BYTES = SL_TEXT_SIZE + 2 };

struct field {
    char text[FIELD_BYTES];
};

/* Takes the field that begins at `at`; returns where it ends: at a comma, a line's end or `end`. */
static const char *take(const char *at, const char *end, struct field *out)
{
    size_t len = 0;
    bool quoted = at < end && *at == '"';
    for (at += quoted; at < end; at++) {
        if (quoted ? *at == '"' : *at == ',' || *at == '\n') {
            if (!quoted || at + 1 == end || at[1] != '"')
                break;
            at++; /* a quote is written twice */
        }
        if (len < FIELD_BYTES - 1)
            out->text[len++] = *at;
    }
    out->text[len] = '\0';
    return at + (quoted && at < end);
}

static bool is_text(const char *column)
{
    static const char *const columns[] = {"model_id", "name", "type", "delegate_backend", "block"};
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        if (strcmp(column, columns[i]) == 0)
            return true;
    }
    return false;
}

static void put(struct sl_json *json, const char *column, const struct field *field)
{
    const char *text = field->text;
    if (!is_text(column))
        sl_json_raw(json, column, text);
    else
        sl_json_text(json, column,
                     text[0] == ' ' && text[1] && strchr("=+-@", text[1]) ? text + 1 : text);
}

int sl_csv_json(struct sl_buf *out, const struct sl_buf *csv)
{
    const char *at = (const char *)csv->data, *end = at + csv->size;
    struct field columns[MAX_COLUMNS], field;
    struct sl_json json;
    size_t count = 0;
    bool more = at < end;
    while (more && count < MAX_COLUMNS) {
        at = take(at, end, &columns[count++]);
        more = at < end && *at++ == ',';
    }
    sl_json_init(&json, out);
    sl_json_open_array(&json, NULL);
    while (at < end) {
        sl_json_open_object(&json, NULL);
        for (size_t c = 0; c < count; c++) {
            at = take(at, end, &field);
            put(&json, columns[c].text, &field);
            at += at < end;
        }
        sl_json_close_object(&json);
    }
    sl_json_close_array(&json);
    return json.error < 0 ? json.error : sl_buf_append(out, "\n", 1);
}

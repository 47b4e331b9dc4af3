/* host/plugin/line.c */
#include "host/plugin/line.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/utf8.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_read.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_VALUE 1e15 /* so that sums of many stay finite */
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

static const char *const answer_keys[] = {"id", "ok", "error"};
static const char *const metric_keys[] = {"metric", "value", "unit", "at_ms", "job"};

bool sl_plugin_is_metric(const char *text)
{
    return strlen(text) < SL_PLUGIN_METRIC_BYTES && text[0] && strchr(LETTERS, text[0]) &&
           strspn(text, LETTERS DIGITS "_.-") == strlen(text);
}

bool sl_plugin_is_unit(const char *text)
{
    static const char *const signs[] = {"\xc2\xb0", "\xc2\xb5", "\xce\xbc", "\xce\xa9"};
    size_t length = strlen(text);
    const char *at = text;
    while (*at) {
        size_t step = strspn(at, LETTERS DIGITS "%/^.*-");
        for (size_t i = 0; step == 0 && i < COUNT(signs); i++)
            step = strncmp(at, signs[i], 2) == 0 ? 2 : 0;
        if (step == 0)
            return false;
        at += step;
    }
    return length < SL_PLUGIN_UNIT_BYTES;
}

static void read_answer(const struct sl_json_at *root, struct sl_plugin_line *out)
{
    struct sl_json_at id = sl_json_member(root, "id"), error = sl_json_member(root, "error");
    out->said = SL_PLUGIN_ANSWER;
    sl_json_need_object(root, answer_keys, COUNT(answer_keys), 2);
    sl_json_get_count(id, &out->id);
    sl_json_get_bool(sl_json_member(root, "ok"), &out->ok);
    sl_json_copy_text(error, out->error, sizeof(out->error));
    sl_utf8_clean(out->error, "");
}

static void read_metric(const struct sl_json_at *root, struct sl_plugin_line *out)
{
    struct sl_json_at metric = sl_json_member(root, "metric"), unit = sl_json_member(root, "unit");
    out->said = SL_PLUGIN_METRIC;
    sl_json_need_object(root, metric_keys, COUNT(metric_keys), 2);
    sl_json_copy_text(metric, out->metric, sizeof(out->metric));
    sl_json_copy_text(unit, out->unit, sizeof(out->unit));
    sl_json_get_real(sl_json_member(root, "value"), -MAX_VALUE, MAX_VALUE, &out->value);
    sl_json_get_count(sl_json_member(root, "at_ms"), &out->at_ms);
    sl_json_get_count(sl_json_member(root, "job"), &out->job);
    if (!sl_plugin_is_metric(out->metric))
        sl_json_refuse(&metric, "A metric's name is letters, digits, '_', '.' and '-'");
    if (!sl_plugin_is_unit(out->unit))
        sl_json_refuse(&unit, "This is no unit");
}

int sl_plugin_line_read(struct sl_bytes line, struct sl_plugin_line *out, struct sl_diag *diag)
{
    struct sl_plugin_line read = {.said = 0};
    struct cJSON *document = NULL;
    if (line.size > SL_PLUGIN_LINE_BYTES)
        return sl_diag_set(diag, SL_E_LIMIT, NULL, "A line is longer than %d bytes",
                           SL_PLUGIN_LINE_BYTES);
    int rc = sl_json_doc_parse(line, "line", &document, diag);
    if (rc < 0)
        return rc;
    struct sl_json_reader reader = {.diag = diag};
    struct sl_json_at root = sl_json_root(&reader, document);
    if (cJSON_GetObjectItemCaseSensitive(document, "metric"))
        read_metric(&root, &read);
    else if (cJSON_GetObjectItemCaseSensitive(document, "id"))
        read_answer(&root, &read);
    else
        sl_json_refuse(&root, "A line is an answer with \"id\", or a figure with \"metric\"");
    sl_json_doc_free(document);
    if (reader.error == 0)
        *out = read;
    return reader.error;
}

static void end_line(struct sl_plugin_lines *lines,
                     void (*on_line)(void *user, struct sl_bytes line, bool whole), void *user)
{
    struct sl_bytes line = {(const uint8_t *)lines->bytes, lines->size};
    if (line.size > 0 && line.data[line.size - 1] == '\r')
        line.size--;
    on_line(user, line, !lines->passing);
    lines->size = 0;
    lines->passing = false;
}

void sl_plugin_lines_take(struct sl_plugin_lines *lines, const char *data, size_t len,
                          void (*on_line)(void *user, struct sl_bytes line, bool whole), void *user)
{
    while (len > 0) {
        const char *end = memchr(data, '\n', len);
        size_t piece = end ? (size_t)(end - data) : len;
        size_t room = sizeof(lines->bytes) - lines->size, taken = piece < room ? piece : room;
        memcpy(lines->bytes + lines->size, data, taken);
        lines->size += taken;
        lines->passing = lines->passing || taken < piece;
        if (end)
            end_line(lines, on_line, user);
        piece += end != NULL;
        data += piece;
        len -= piece;
    }
}

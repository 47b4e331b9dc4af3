/* host/spec/json_doc.c */
#include "host/spec/json_doc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "host/spec/json_read.h"

/* "FILE:LINE:COLUMN" of the byte at `at`. */
static void name_place(struct sl_bytes text, size_t at, const char *file, char out[160])
{
    size_t line = 1, column = 1;
    for (size_t i = 0; i < at && i < text.size; i++) {
        column = text.data[i] == '\n' ? 1 : column + 1;
        line += text.data[i] == '\n';
    }
    snprintf(out, 160, "%.120s:%zu:%zu", file, line, column);
}

static int syntax_error(struct sl_bytes text, size_t at, const char *file, struct sl_diag *diag)
{
    char where[160];
    name_place(text, at, file, where);
    if (text.size == 0)
        return sl_diag_set(diag, SL_E_FORMAT, where, "There is no JSON here");
    sl_diag_hint(diag, "look for a missing comma, quote or bracket there; JSON has no comments");
    return sl_diag_set(diag, SL_E_FORMAT, where, "The file is not JSON from here on");
}

static int check_utf8(struct sl_bytes text, const char *file, struct sl_diag *diag)
{
    char where[160];
    size_t bad = sl_utf8_first_bad(text);
    if (bad == text.size)
        return 0;
    name_place(text, bad, file, where);
    sl_diag_hint(diag, "save the file as UTF-8");
    return sl_diag_set(diag, SL_E_FORMAT, where, "The byte 0x%02x here is not UTF-8",
                       text.data[bad]);
}

static int by_key(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorted, the two stand side by side. */
static void check_keys(const struct sl_json_at *object)
{
    size_t count = 0;
    const char **keys = sl_malloc(sl_json_size(object), sizeof(*keys));
    if (!keys) {
        sl_json_stop(object, -ENOMEM);
        return;
    }
    for (const cJSON *child = object->value->child; child; child = child->next)
        keys[count++] = child->string;
    qsort(keys, count, sizeof(*keys), by_key);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(keys[i - 1], keys[i]) != 0)
            continue;
        struct sl_json_at here = sl_json_member(object, keys[i]);
        sl_json_hint(&here, "take one of the two out");
        sl_json_refuse(&here, "The key '%s' stands here twice", keys[i]);
    }
    sl_free(keys);
}

static void check_doubles(const struct sl_json_at *at)
{
    const cJSON *first = at->value->child;
    if (first && first->next && first->string)
        check_keys(at);
    for (struct sl_json_at item = sl_json_first(at); sl_json_more(&item); sl_json_next(&item)) {
        if (item.value->child)
            check_doubles(&item);
    }
}

/* Refuses documents that cJSON would take: a million numbers, because cJSON needs 64 bytes for
 * each; and the character 0, because cJSON ends a text there and texts that differ later become
 * equal. */
static int check_contents(struct sl_bytes text, const char *file, struct sl_diag *diag)
{
    char where[160];
    size_t values = 1;
    bool in_text = false;
    for (size_t i = 0; i < text.size; i++) {
        uint8_t byte = text.data[i];
        if (byte == '"')
            in_text = !in_text;
        else if (!in_text)
            values += byte == ',' || byte == '[' || byte == '{';
        else if (byte == '\\' && text.size - i > 5 && memcmp(text.data + i, "\\u0000", 6) == 0) {
            name_place(text, i, file, where);
            return sl_diag_set(diag, SL_E_FORMAT, where, "A text may not hold the character 0");
        } else if (byte == '\\')
            i++; /* past what is escaped */
    }
    if (values <= SL_JSON_DOC_MAX_VALUES)
        return 0;
    return sl_diag_set(diag, SL_E_LIMIT, file, "The file has more than %d values",
                       SL_JSON_DOC_MAX_VALUES);
}

int sl_json_doc_parse(struct sl_bytes text, const char *file, struct cJSON **out,
                      struct sl_diag *diag)
{
    if (text.size > SL_JSON_DOC_MAX_BYTES)
        return sl_diag_set(diag, SL_E_LIMIT, file, "The file has %zu bytes, more than %d",
                           text.size, SL_JSON_DOC_MAX_BYTES);
    if (text.size == 0) /* no memory may stand behind it */
        return syntax_error(text, 0, file, diag);
    int rc = check_utf8(text, file, diag);
    if (rc == 0)
        rc = check_contents(text, file, diag);
    if (rc < 0)
        return rc;
    char *copy = sl_strndup((const char *)text.data, text.size);
    if (!copy)
        return -ENOMEM;
    const char *end = copy;
    cJSON *document = cJSON_ParseWithLengthOpts(copy, text.size + 1, &end, 1);
    size_t read = document ? strlen(copy) : (size_t)(end - copy);
    if (!document || read != text.size)
        rc = syntax_error(text, read, file, diag);
    sl_free(copy);
    if (rc == 0) {
        struct sl_json_reader reader = {.diag = diag};
        struct sl_json_at root = sl_json_root(&reader, document);
        check_doubles(&root);
        rc = reader.error;
    }
    if (rc < 0)
        cJSON_Delete(document);
    else
        *out = document;
    return rc;
}

void sl_json_doc_free(struct cJSON *document)
{
    cJSON_Delete(document);
}

/* host/spec/json_doc.c */
#include "host/spec/json_doc.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "host/spec/nearest.h"

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

/* A value and those around it, for the pointer to it, which only a refusal needs. */
struct around {
    const struct around *outer;
    const cJSON *value;
};

static struct sl_json_at place_of(const struct around *around)
{
    struct sl_json_at out = {.value = around->value};
    if (!around->outer)
        return out;
    struct sl_json_at outer = place_of(around->outer);
    if (around->value->string)
        return sl_json_member(&outer, around->value->string);
    size_t index = 0;
    for (const cJSON *child = outer.value->child; child != around->value; child = child->next)
        index++;
    return sl_json_item(&outer, index);
}

static int by_key(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorted, the two stand side by side. */
static int check_keys(const struct around *object, struct sl_diag *diag)
{
    size_t count = 0;
    for (const cJSON *child = object->value->child; child; child = child->next)
        count++;
    const char **keys = sl_malloc(count, sizeof(*keys));
    if (!keys)
        return -ENOMEM;
    count = 0;
    for (const cJSON *child = object->value->child; child; child = child->next)
        keys[count++] = child->string;
    qsort(keys, count, sizeof(*keys), by_key);
    int rc = 0;
    for (size_t i = 1; rc == 0 && i < count; i++) {
        if (strcmp(keys[i - 1], keys[i]) != 0)
            continue;
        struct sl_json_at outer = place_of(object), here = sl_json_member(&outer, keys[i]);
        sl_diag_hint(diag, "take one of the two out");
        rc = sl_json_refuse(&here, diag, "The key '%s' stands here twice", keys[i]);
    }
    sl_free(keys);
    return rc;
}

static int check_doubles(const struct around *around, struct sl_diag *diag)
{
    const cJSON *first = around->value->child;
    int rc = first && first->next && first->string ? check_keys(around, diag) : 0;
    for (const cJSON *child = first; rc == 0 && child; child = child->next) {
        struct around inner = {.outer = around, .value = child};
        if (child->child)
            rc = check_doubles(&inner, diag);
    }
    return rc;
}

/* What cJSON would take: a document of a million numbers, each 64 bytes to it; and the character 0,
 * at which it ends a text, so that two that differ behind it would be one. */
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
        const struct around root = {.value = document};
        rc = check_doubles(&root, diag);
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

struct sl_json_at sl_json_root(const struct cJSON *document)
{
    return (struct sl_json_at){.value = document};
}

/* Appends "/token" with ~ and / escaped; what does not fit is cut. */
static void extend_pointer(struct sl_json_at *at, const struct sl_json_at *parent,
                           const char *token)
{
    size_t len = strlen(parent->pointer);
    memcpy(at->pointer, parent->pointer, len);
    if (len + 1 < sizeof(at->pointer))
        at->pointer[len++] = '/';
    for (; *token && len + 3 < sizeof(at->pointer); token++) {
        if (*token == '~' || *token == '/') {
            at->pointer[len++] = '~';
            at->pointer[len++] = *token == '~' ? '0' : '1';
        } else {
            at->pointer[len++] = *token;
        }
    }
    at->pointer[len] = '\0';
}

struct sl_json_at sl_json_member(const struct sl_json_at *object, const char *key)
{
    struct sl_json_at out = {.value = cJSON_GetObjectItemCaseSensitive(object->value, key)};
    extend_pointer(&out, object, key);
    return out;
}

struct sl_json_at sl_json_item(const struct sl_json_at *array, size_t index)
{
    char number[24];
    snprintf(number, sizeof(number), "%zu", index);
    const cJSON *item = array->value ? array->value->child : NULL;
    for (size_t i = 0; item && i < index; i++)
        item = item->next;
    struct sl_json_at out = {.value = item};
    extend_pointer(&out, array, number);
    if (item && item->string)
        extend_pointer(&out, array, item->string);
    return out;
}

size_t sl_json_size(const struct sl_json_at *at)
{
    size_t count = 0;
    if (cJSON_IsArray(at->value) || cJSON_IsObject(at->value)) {
        for (const cJSON *child = at->value->child; child; child = child->next)
            count++;
    }
    return count;
}

const char *sl_json_key(const struct sl_json_at *at)
{
    return at->value && at->value->string ? at->value->string : "";
}

int sl_json_refuse(const struct sl_json_at *at, struct sl_diag *diag, const char *what, ...)
{
    char sentence[256];
    va_list args;
    va_start(args, what);
    vsnprintf(sentence, sizeof(sentence), what, args);
    va_end(args);
    return sl_diag_set(diag, SL_E_FORMAT, at->pointer[0] ? at->pointer : "/", "%s", sentence);
}

void sl_json_name_file(const char *file, struct sl_diag *diag)
{
    char pointer[SL_JSON_POINTER_BYTES];
    if (!diag || (diag->where[0] != '/' && diag->where[0] != '\0'))
        return;
    snprintf(pointer, sizeof(pointer), "%.120s", diag->where);
    snprintf(diag->where, sizeof(diag->where), "%.60s at %s", file, pointer[0] ? pointer : "/");
}

int sl_json_check_keys(const struct sl_json_at *object, const char *const *keys, size_t count,
                       struct sl_diag *diag)
{
    for (const cJSON *child = object->value->child; child; child = child->next) {
        bool known = false;
        for (size_t i = 0; i < count; i++)
            known = known || strcmp(child->string, keys[i]) == 0;
        if (known)
            continue;
        struct sl_json_at here = sl_json_member(object, child->string);
        const char *nearest = sl_nearest(child->string, keys, count);
        if (nearest)
            sl_diag_hint(diag, "did you mean '%s'?", nearest);
        else
            sl_diag_hint(diag, "take it out; configs/experiment.schema.json lists the keys");
        return sl_json_refuse(&here, diag, "There is no key '%.64s' here", child->string);
    }
    return 0;
}

int sl_json_get_text(const struct sl_json_at *at, const char **out, struct sl_diag *diag)
{
    if (!at->value)
        return 0;
    if (!cJSON_IsString(at->value) || !at->value->valuestring[0])
        return sl_json_refuse(at, diag, "This must be a text that is not empty");
    *out = at->value->valuestring;
    return 0;
}

int sl_json_get_integer(const struct sl_json_at *at, uint32_t low, uint32_t high, uint32_t *out,
                        struct sl_diag *diag)
{
    if (!at->value)
        return 0;
    double value = cJSON_IsNumber(at->value) ? at->value->valuedouble : NAN;
    if (!(value >= low && value <= high) || floor(value) != value)
        return sl_json_refuse(at, diag, "This must be a whole number from %u to %u", low, high);
    *out = (uint32_t)value;
    return 0;
}

int sl_json_get_bool(const struct sl_json_at *at, bool *out, struct sl_diag *diag)
{
    if (!at->value)
        return 0;
    if (!cJSON_IsBool(at->value))
        return sl_json_refuse(at, diag, "This must be true or false");
    *out = cJSON_IsTrue(at->value);
    return 0;
}

int sl_json_get_real(const struct sl_json_at *at, double low, double high, double *out,
                     struct sl_diag *diag)
{
    if (!at->value)
        return 0;
    double value = cJSON_IsNumber(at->value) ? at->value->valuedouble : NAN;
    if (!(value >= low && value <= high))
        return sl_json_refuse(at, diag, "This must be a number from %g to %g", low, high);
    *out = value;
    return 0;
}

int sl_json_need_object(const struct sl_json_at *at, struct sl_diag *diag)
{
    return cJSON_IsObject(at->value) ? 0 : sl_json_refuse(at, diag, "This must be an object {…}");
}

int sl_json_need_array(const struct sl_json_at *at, struct sl_diag *diag)
{
    return cJSON_IsArray(at->value) ? 0 : sl_json_refuse(at, diag, "This must be a list […]");
}

int sl_json_get_texts(const struct sl_json_at *at, size_t max, const char **out_keys,
                      const char **out_values, size_t *out_count, struct sl_diag *diag)
{
    if (!at->value)
        return 0;
    int rc = sl_json_need_object(at, diag);
    size_t count = sl_json_size(at);
    if (rc == 0 && count > max)
        rc = sl_json_refuse(at, diag, "There are more than %zu", max);
    for (size_t i = 0; i < count && rc == 0; i++) {
        struct sl_json_at item = sl_json_item(at, i);
        out_keys[i] = sl_json_key(&item);
        rc = sl_json_get_text(&item, &out_values[i], diag);
    }
    if (rc == 0)
        *out_count = count;
    return rc;
}

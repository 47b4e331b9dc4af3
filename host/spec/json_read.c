/* host/spec/json_read.c */
#include "host/spec/json_read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "host/spec/json_value.h"
#include "host/spec/nearest.h"

struct sl_json_at sl_json_root(struct sl_json_reader *reader, const struct cJSON *document)
{
    return (struct sl_json_at){.reader = reader, .value = document};
}

struct sl_json_at sl_json_member(const struct sl_json_at *object, const char *key)
{
    return (struct sl_json_at){.reader = object->reader,
                               .outer = object,
                               .value = sl_value(object->value, key),
                               .key = key};
}

static bool is_good(const struct sl_json_at *at)
{
    return at->value && at->reader->error == 0;
}

struct sl_json_at sl_json_first(const struct sl_json_at *list)
{
    bool has_items = cJSON_IsArray(list->value) || cJSON_IsObject(list->value);
    const cJSON *first = has_items ? list->value->child : NULL;
    return (struct sl_json_at){
        .reader = list->reader, .outer = list, .value = first, .key = first ? first->string : NULL};
}

bool sl_json_more(const struct sl_json_at *at)
{
    return is_good(at);
}

void sl_json_next(struct sl_json_at *at)
{
    at->value = at->value->next;
    at->key = at->value ? at->value->string : NULL;
}

size_t sl_json_size(const struct sl_json_at *at)
{
    size_t count = 0;
    for (struct sl_json_at item = sl_json_first(at); sl_json_more(&item); sl_json_next(&item))
        count++;
    return count;
}

bool sl_json_is_array(const struct sl_json_at *at)
{
    return cJSON_IsArray(at->value);
}

bool sl_json_has_text(const struct sl_json_at *at)
{
    return cJSON_IsString(at->value) && at->value->valuestring[0];
}

/* Appends "/token" with ~ and / escaped; what does not fit is cut. Returns the new length. */
static size_t put_token(char out[SL_JSON_POINTER_BYTES], size_t len, const char *token)
{
    if (len + 1 < SL_JSON_POINTER_BYTES)
        out[len++] = '/';
    for (; *token && len + 3 < SL_JSON_POINTER_BYTES; token++) {
        out[len++] = *token == '~' || *token == '/' ? '~' : *token;
        if (*token == '~' || *token == '/')
            out[len++] = *token == '~' ? '0' : '1';
    }
    out[len] = '\0';
    return len;
}

static size_t put_pointer(const struct sl_json_at *at, char out[SL_JSON_POINTER_BYTES])
{
    char number[24];
    if (!at->outer)
        return 0;
    size_t index = 0, len = put_pointer(at->outer, out);
    const cJSON *item = at->key || !at->outer->value ? at->value : at->outer->value->child;
    for (; item && item != at->value; item = item->next)
        index++;
    snprintf(number, sizeof(number), "%zu", index);
    return put_token(out, len, at->key ? at->key : number);
}

void sl_json_refuse(const struct sl_json_at *at, const char *what, ...)
{
    char sentence[256], pointer[SL_JSON_POINTER_BYTES] = "/";
    va_list args;
    if (at->reader->error != 0)
        return;
    va_start(args, what);
    vsnprintf(sentence, sizeof(sentence), what, args);
    va_end(args);
    put_pointer(at, pointer);
    at->reader->error = sl_diag_set(at->reader->diag, SL_E_FORMAT, pointer, "%s", sentence);
}

void sl_json_hint(const struct sl_json_at *at, const char *hint, ...)
{
    char sentence[192];
    va_list args;
    if (at->reader->error != 0)
        return;
    va_start(args, hint);
    vsnprintf(sentence, sizeof(sentence), hint, args);
    va_end(args);
    sl_diag_hint(at->reader->diag, "%s", sentence);
}

void sl_json_stop(const struct sl_json_at *at, int code)
{
    if (at->reader->error == 0 && code < 0)
        at->reader->error = code;
}

static void refuse_key(const struct sl_json_at *member, const char *const *keys, size_t count)
{
    const char *nearest = sl_nearest(member->key, keys, count);
    if (nearest)
        sl_json_hint(member, "did you mean '%s'?", nearest);
    else
        sl_json_hint(member, "take it out; configs/README.md says which file lists the keys");
    sl_json_refuse(member, "There is no key '%.64s' here", member->key);
}

void sl_json_need_object(const struct sl_json_at *at, const char *const *keys, size_t count,
                         size_t needed)
{
    if (!cJSON_IsObject(at->value))
        sl_json_refuse(at, "This must be an object {…}");
    for (struct sl_json_at item = sl_json_first(at); sl_json_more(&item); sl_json_next(&item)) {
        size_t i = 0;
        while (i < count && strcmp(item.key, keys[i]) != 0)
            i++;
        if (i == count)
            refuse_key(&item, keys, count);
    }
    sl_json_need_keys(at, keys, needed);
}

void sl_json_need_keys(const struct sl_json_at *at, const char *const *keys, size_t count)
{
    if (!cJSON_IsObject(at->value))
        sl_json_refuse(at, "This must be an object {…}");
    for (size_t i = 0; i < count && is_good(at); i++) {
        struct sl_json_at member = sl_json_member(at, keys[i]);
        if (!member.value)
            sl_json_refuse(&member, "There is no value here, and one is needed");
    }
}

/* How many, of at most `most`. */
static size_t need_size(const struct sl_json_at *at, size_t most, const char *what)
{
    size_t count = sl_json_size(at);
    if (count <= most)
        return count;
    sl_json_refuse(at, "More than %zu %s", most, what);
    return 0;
}

size_t sl_json_need_array(const struct sl_json_at *at, size_t most, const char *what)
{
    if (!cJSON_IsArray(at->value))
        sl_json_refuse(at, "This must be a list […]");
    return need_size(at, most, what);
}

size_t sl_json_need_members(const struct sl_json_at *at, size_t most, const char *what)
{
    if (!cJSON_IsObject(at->value))
        sl_json_refuse(at, "This must be an object {…}");
    return need_size(at, most, what);
}

const char *sl_json_get_text(struct sl_json_at at)
{
    if (!is_good(&at))
        return NULL;
    if (sl_json_has_text(&at))
        return at.value->valuestring;
    sl_json_refuse(&at, "This must be a text that is not empty");
    return NULL;
}

void sl_json_copy_text(struct sl_json_at at, char *out, size_t size)
{
    const char *text = sl_json_get_text(at);
    size_t len = text ? strlen(text) : 0;
    if (len >= size)
        sl_json_refuse(&at, "This has %zu bytes, more than %zu", len, size - 1);
    else if (text)
        memcpy(out, text, len + 1);
}

bool sl_json_is_text(struct sl_json_at at, const char *word)
{
    const char *text = sl_json_get_text(at);
    return text && strcmp(text, word) == 0;
}

/* The number; not a number for anything else. */
static double number_of(const struct sl_json_at *at)
{
    return cJSON_IsNumber(at->value) ? at->value->valuedouble : (double)NAN;
}

void sl_json_get_integer(struct sl_json_at at, uint32_t low, uint32_t high, uint32_t *out)
{
    double value = number_of(&at);
    if (!is_good(&at))
        return;
    if (value >= low && value <= high && floor(value) == value)
        *out = (uint32_t)value;
    else
        sl_json_refuse(&at, "This must be a whole number from %u to %u", low, high);
}

void sl_json_get_count(struct sl_json_at at, uint64_t *out)
{
    double value = number_of(&at);
    if (!is_good(&at))
        return;
    if (value >= 0 && value <= SL_JSON_MAX_WHOLE && floor(value) == value)
        *out = (uint64_t)value;
    else
        sl_json_refuse(&at, "This must be a whole number from 0 to 2^53");
}

void sl_json_get_bool(struct sl_json_at at, bool *out)
{
    if (!is_good(&at))
        return;
    if (cJSON_IsBool(at.value))
        *out = cJSON_IsTrue(at.value);
    else
        sl_json_refuse(&at, "This must be true or false");
}

void sl_json_get_real(struct sl_json_at at, double low, double high, double *out)
{
    double value = number_of(&at);
    if (!is_good(&at))
        return;
    if (value >= low && value <= high)
        *out = value;
    else
        sl_json_refuse(&at, "This must be a number from %g to %g", low, high);
}

void sl_json_name_file(const char *file, struct sl_diag *diag)
{
    char pointer[SL_JSON_POINTER_BYTES];
    if (!diag || (diag->where[0] != '/' && diag->where[0] != '\0'))
        return;
    snprintf(pointer, sizeof(pointer), "%.120s", diag->where[0] ? diag->where : "/");
    int room = (int)(sizeof(diag->where) - strlen(pointer) - sizeof(" at "));
    snprintf(diag->where, sizeof(diag->where), "%.*s at %s", room, file, pointer);
}

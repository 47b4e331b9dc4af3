/* host/spec/param.c */
#include "host/spec/param.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/utf8.h"
#include "host/spec/after.h"
#include "host/spec/json_read.h"
#include "host/spec/moment.h"
#include "host/spec/selector.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { MAX_KEYS = 48, DIGEST_DIGITS = SL_DIGEST_BYTES - 1 };

static void check_name(const struct sl_json_at *at, const char *text)
{
    if (!sl_spec_name_ok(text))
        sl_json_refuse(at,
                       "A name becomes part of file names: at most %d letters, digits, '.', '_' "
                       "and '-'",
                       SL_NAME_BYTES - 1);
}

/* big, little, all, a list such as 4-7, or a mask. */
static void check_cpus(const struct sl_json_at *at, const char *text)
{
    size_t mask = strncmp(text, "0x", 2) == 0 ? 2 : 0, len = strlen(text);
    if (mask > 0 && len > mask && strspn(text + mask, "0") == len - mask) {
        sl_json_hint(at, "say 0x1 for the CPU 0 alone");
        sl_json_refuse(at, "'%.40s' is a mask without a CPU", text);
        return;
    }
    if (strcmp(text, "big") == 0 || strcmp(text, "little") == 0 || strcmp(text, "all") == 0 ||
        (len > mask && strspn(text + mask, "0123456789abcdefABCDEF") == len - mask) ||
        (isdigit((unsigned char)text[0]) && strspn(text, "0123456789,-") == len))
        return;
    sl_json_hint(at, "say big, little, all, a list such as 4-7 or a mask such as 0xf0");
    sl_json_refuse(at, "'%.40s' names no CPUs", text);
}

/* A name or conditions; whether the lab has such a device is the lab's to say. */
static void check_device(const struct sl_json_at *at, const char *text)
{
    struct sl_selector selector;
    struct sl_diag diag = {0};
    if (sl_selector_read(text, &selector, &diag) == 0)
        return;
    sl_json_hint(at, "%s", diag.hint);
    sl_json_refuse(at, "%s", diag.what);
}

static void refuse(const struct sl_json_at *at, const struct sl_diag *diag)
{
    sl_json_hint(at, "%s", diag->hint);
    sl_json_refuse(at, "%s", diag->what);
}

/* The form alone: a time that has passed is refused when the job comes in. */
static void check_moment(const struct sl_json_at *at, const char *text)
{
    uint64_t unused;
    struct sl_diag diag = {0};
    if (sl_moment_read(text, "time", 0, &unused, &diag) < 0)
        refuse(at, &diag);
}

static void check_after(const struct sl_json_at *at, const char *text)
{
    uint64_t unused[SL_AFTER_MOST];
    struct sl_diag diag = {0};
    if (sl_after_read(text, unused, &diag) < 0)
        refuse(at, &diag);
}

/* A time to come; host/spec/moment.c reads it. */
#define MOMENT                                                                                     \
    "^([1-9][0-9]{0,4}[smhdw]|"                                                                    \
    "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?Z)$"

/* One condition of a selector, as host/spec/selector.c reads it. */
#define SELECTOR_TERM                                                                              \
    "(sme2(=yes|=no)?|(name|tag|soc|model|system)=[^,]{1,63}|"                                     \
    "kind=(local|emulated|counted|tcp|adb)|(svl|android)(=|[<>]=?)[0-9]{1,15}|memory(=|[<>]=?)[0-" \
    "9]{1,15}"                                                                                     \
    "[kmgtKMGT]?)"

#define AT(field) offsetof(struct sl_spec, field)
#define ROW(kind, field, ...) {.type = SL_PARAM_##kind, .at = AT(field), __VA_ARGS__},
#define LIST(kind, field, ...)                                                                     \
    {.type = SL_PARAM_##kind, .at = AT(field), .count_at = AT(field##_count), __VA_ARGS__},
#define TEXT(field, ...) ROW(TEXT, field, __VA_ARGS__)
#define WORD(field, ...) ROW(WORD, field, __VA_ARGS__)
#define COUNT(field, ...) ROW(COUNT, field, __VA_ARGS__)
#define NUMBER(field, ...) ROW(NUMBER, field, __VA_ARGS__)
#define REAL(field, ...) ROW(REAL, field, __VA_ARGS__)
#define FLAG(field, ...) ROW(FLAG, field, __VA_ARGS__)
#define CHOICE(field, ...) ROW(CHOICE, field, __VA_ARGS__)
#define COUNTS(field, ...) LIST(COUNTS, field, __VA_ARGS__)
#define TEXTS(field, ...) LIST(TEXTS, field, __VA_ARGS__)
#define PATH(field, ...) ROW(PATH, field, .second_at = AT(field##_sha256), __VA_ARGS__)
#define PATHS(field, ...) LIST(PATHS, field, .second_at = AT(field##_sha256), __VA_ARGS__)
#define LABELS(field, ...)                                                                         \
    {.type = SL_PARAM_LABELS,                                                                      \
     .at = AT(field##_keys),                                                                       \
     .second_at = AT(field##_values),                                                              \
     .count_at = AT(field##_count),                                                                \
     __VA_ARGS__},
#define FIXED(field, ...) {.type = SL_PARAM_FIXED, __VA_ARGS__},
const struct sl_param sl_params[] = {
#include "host/spec/spec.inc"
};
const size_t sl_param_count = COUNT_OF(sl_params);
_Static_assert(COUNT_OF(sl_params) <= SL_PARAMS_MAX, "arrays by parameter have room for all");

const char *sl_param_key(const struct sl_param *param, unsigned scope)
{
    bool body = scope == SL_IN_JOB || scope == SL_IN_SHOWN;
    bool shown = scope == SL_IN_SHOWN && (param->in & SL_IN_JOB) &&
                 (param->type == SL_PARAM_PATH || param->type == SL_PARAM_PATHS);
    if (!(param->in & scope) && !shown)
        return NULL;
    return body && param->job_key ? param->job_key : param->key;
}

void *sl_param_value(const struct sl_param *param, struct sl_spec *spec)
{
    return (char *)spec + param->at;
}

const void *sl_param_read(const struct sl_param *param, const struct sl_spec *spec)
{
    return (const char *)spec + param->at;
}

size_t *sl_param_items(const struct sl_param *param, struct sl_spec *spec)
{
    return (size_t *)(void *)((char *)spec + param->count_at);
}

size_t sl_param_item_count(const struct sl_param *param, const struct sl_spec *spec)
{
    return *(const size_t *)(const void *)((const char *)spec + param->count_at);
}

/* The paths, or in a job's body their digests; the keys of labels, or their values. */
static const char **texts_of(const struct sl_param *param, struct sl_spec *spec, bool second)
{
    return (const char **)(void *)((char *)spec + (second ? param->second_at : param->at));
}

static const char *const *read_texts(const struct sl_param *param, const struct sl_spec *spec,
                                     bool second)
{
    return (const char *const *)(const void *)((const char *)spec +
                                               (second ? param->second_at : param->at));
}

const char *const *sl_param_digests(const struct sl_param *param, const struct sl_spec *spec)
{
    return read_texts(param, spec, true);
}

void sl_spec_init(struct sl_spec *spec)
{
    memset(spec, 0, sizeof(*spec));
    for (size_t i = 0; i < sl_param_count; i++) {
        const struct sl_param *param = &sl_params[i];
        void *value = sl_param_value(param, spec);
        if (param->type == SL_PARAM_COUNT)
            *(uint32_t *)value = (uint32_t)param->initial;
        else if (param->type == SL_PARAM_REAL)
            *(double *)value = param->initial;
        else if (param->type == SL_PARAM_WORD && param->text)
            snprintf(value, SL_NAME_BYTES, "%s", param->text);
        else if (param->type == SL_PARAM_COUNTS)
            *(uint32_t *)value = (uint32_t)param->initial;
        if (param->type == SL_PARAM_COUNTS)
            *sl_param_items(param, spec) = 1;
    }
    snprintf(spec->family, sizeof(spec->family), "%s", spec->name);
}

/* --- reading --- */

const char *sl_param_get_digest(struct sl_json_at at)
{
    const char *text = sl_json_get_text(at);
    if (!text ||
        (strlen(text) == DIGEST_DIGITS && strspn(text, "0123456789abcdef") == DIGEST_DIGITS))
        return text;
    sl_json_hint(&at, "PUT the file to /api/v1/blobs/{sha256} and name it by that digest");
    sl_json_refuse(&at, "This must be a SHA-256: 64 lower-case hexadecimal digits");
    return NULL;
}

/* A text of `most` bytes, 0 for any number of them; the parameter's own words for one that is of no
 * use. NULL after a failure. */
static const char *read_text(const struct sl_param *param, const struct sl_json_at *at, size_t most)
{
    bool good = at->reader->error == 0;
    if (param->refusal && !sl_json_has_text(at))
        sl_json_refuse(at, "%s", param->refusal);
    const char *text = sl_json_get_text(*at);
    if (text && most != 0 && strlen(text) > most)
        sl_json_refuse(at, "This is longer than %zu bytes", most);
    if (text && param->check)
        param->check(at, text);
    bool failed = at->reader->error != 0;
    if (good && failed && param->hint)
        sl_diag_hint(at->reader->diag, "%s", param->hint);
    return failed ? NULL : text;
}

static void read_word(const struct sl_param *param, const struct sl_json_at *at, char *out)
{
    const char *text = read_text(param, at, param->check == check_name ? 0 : SL_NAME_BYTES - 1);
    if (text && param->most != 0 && strlen(text) > param->most)
        sl_json_refuse(at, "This is longer than %zu bytes", param->most);
    else if (text)
        snprintf(out, SL_NAME_BYTES, "%s", text);
}

static void read_whole(const struct sl_param *param, const struct sl_json_at *at, int32_t *out)
{
    double value = 0;
    sl_json_get_real(*at, param->low, param->high, &value);
    if (value > floor(value))
        sl_json_refuse(at, "A %s is a whole number", param->key);
    else
        *out = (int32_t)value;
}

/* The place of the word among the parameter's; 0 after a failure. */
static int read_choice(const struct sl_param *param, const struct sl_json_at *at, unsigned scope)
{
    size_t count = scope == SL_IN_JOB && param->job_words ? param->job_words : SL_PARAM_MAX_WORDS;
    const char *word = sl_json_get_text(*at);
    for (size_t i = 0; word && i < count && param->words[i]; i++)
        if (strcmp(word, param->words[i]) == 0)
            return (int)i;
    sl_json_hint(at, "%s", param->hint);
    sl_json_refuse(at, "There is no %s '%.64s'", param->key, word ? word : "");
    return 0;
}

static bool has_count(const uint32_t *values, size_t count, uint32_t value)
{
    for (size_t i = 0; i < count; i++)
        if (values[i] == value)
            return true;
    return false;
}

/* A number, or the place of a word if the parameter has words. */
static uint32_t read_count(const struct sl_param *param, const struct sl_json_at *at)
{
    uint32_t value = 0;
    if (param->words[0])
        return (uint32_t)read_choice(param, at, SL_IN_EXPERIMENT);
    sl_json_get_integer(*at, (uint32_t)param->low, (uint32_t)param->high, &value);
    return value;
}

static void refuse_twice(const struct sl_param *param, const struct sl_json_at *item,
                         uint32_t value)
{
    if (param->words[0])
        sl_json_refuse(item, "\"%s\" stands in the list twice", param->words[value]);
    else
        sl_json_refuse(item, "%u %s stand in the list twice", value, param->key);
}

/* A number, or a list without repetition; in a job one number. */
static void read_counts(const struct sl_param *param, const struct sl_json_at *at, unsigned scope,
                        struct sl_spec *spec)
{
    bool list = sl_json_is_array(at);
    size_t count = list ? sl_json_size(at) : 1, i = 0;
    uint32_t *values = sl_param_value(param, spec);
    if (scope == SL_IN_JOB && count != 1)
        sl_json_refuse(at, "A job has one number of %s", param->key);
    if (count == 0 || count > SL_SPEC_MAX_COUNTS)
        sl_json_refuse(at, "A list of %s has 1 to %d numbers", param->key, SL_SPEC_MAX_COUNTS);
    for (struct sl_json_at item = list ? sl_json_first(at) : *at; sl_json_more(&item);
         sl_json_next(&item)) {
        uint32_t value = read_count(param, &item);
        if (has_count(values, i, value))
            refuse_twice(param, &item, value);
        values[i++] = value;
        if (!list)
            break;
    }
    *sl_param_items(param, spec) = i;
}

static void read_list(const struct sl_param *param, const struct sl_json_at *at, unsigned scope,
                      struct sl_spec *spec)
{
    bool digests = scope == SL_IN_JOB && param->type == SL_PARAM_PATHS;
    const char **out = texts_of(param, spec, digests);
    size_t count = sl_json_need_array(at, param->most,
                                      param->type == SL_PARAM_TEXTS ? "arguments" : param->key);
    if (scope == SL_IN_SHOWN && count != sl_param_item_count(param, spec))
        sl_json_refuse(at, "The job has %zu %s", sl_param_item_count(param, spec), param->key);
    for (struct sl_json_at item = sl_json_first(at); sl_json_more(&item); sl_json_next(&item))
        *out++ = digests ? sl_param_get_digest(item) : read_text(param, &item, SL_SPEC_MAX_PATH);
    *sl_param_items(param, spec) = count;
}

static void read_labels(const struct sl_param *param, const struct sl_json_at *at,
                        struct sl_spec *spec)
{
    const char **keys = texts_of(param, spec, false), **values = texts_of(param, spec, true);
    size_t *count = sl_param_items(param, spec);
    sl_json_need_members(at, param->most, param->key);
    *count = 0;
    for (struct sl_json_at item = sl_json_first(at); sl_json_more(&item); sl_json_next(&item)) {
        const char *value = sl_json_get_text(item);
        if (value && (strlen(item.key) >= SL_NAME_BYTES || strlen(value) >= SL_SELECTOR_BYTES))
            sl_json_refuse(at, "A label has %d bytes at most, its key %d", SL_SELECTOR_BYTES - 1,
                           SL_NAME_BYTES - 1);
        else if (value && !(sl_utf8_is_plain(item.key) && sl_utf8_is_plain(value)))
            sl_json_refuse(at, "A label must not have control characters");
        keys[*count] = item.key;
        values[(*count)++] = value;
    }
}

/* {"sme2": ["off", "on"]} */
static void read_fixed(const struct sl_json_at *at)
{
    static const char *const levels[] = {"off", "on"};
    static const char *const keys[] = {"sme2"};
    size_t i = 0;
    sl_json_need_object(at, keys, COUNT_OF(keys), 0);
    struct sl_json_at list = sl_json_member(at, "sme2");
    bool fits = sl_json_size(&list) == COUNT_OF(levels);
    for (struct sl_json_at item = sl_json_first(&list); fits && sl_json_more(&item);
         sl_json_next(&item))
        fits = sl_json_has_text(&item) && sl_json_is_text(item, levels[i++]);
    if (fits)
        return;
    sl_json_hint(at, "say \"factor\": {\"sme2\": [\"off\", \"on\"]}");
    sl_json_refuse(at, "The one factor is sme2 with the levels off and on");
}

static void read_value(const struct sl_param *param, const struct sl_json_at *at, unsigned scope,
                       struct sl_spec *spec)
{
    void *value = sl_param_value(param, spec);
    switch (param->type) {
    case SL_PARAM_PATH:
        *texts_of(param, spec, scope == SL_IN_JOB) =
            scope == SL_IN_JOB ? sl_param_get_digest(*at) : read_text(param, at, SL_SPEC_MAX_PATH);
        break;
    case SL_PARAM_TEXT:
        *(const char **)value = read_text(param, at, param->most);
        break;
    case SL_PARAM_WORD:
        read_word(param, at, value);
        break;
    case SL_PARAM_COUNT:
        sl_json_get_integer(*at, (uint32_t)param->low, (uint32_t)param->high, value);
        break;
    case SL_PARAM_NUMBER:
        read_whole(param, at, value);
        break;
    case SL_PARAM_REAL:
        sl_json_get_real(*at, param->low, param->high, value);
        break;
    case SL_PARAM_FLAG:
        sl_json_get_bool(*at, value);
        break;
    case SL_PARAM_CHOICE:
        *(int *)value = read_choice(param, at, scope);
        break;
    case SL_PARAM_COUNTS:
        read_counts(param, at, scope, spec);
        break;
    case SL_PARAM_TEXTS:
    case SL_PARAM_PATHS:
        read_list(param, at, scope, spec);
        break;
    case SL_PARAM_LABELS:
        read_labels(param, at, spec);
        break;
    case SL_PARAM_FIXED:
        read_fixed(at);
        break;
    }
}

/* Either spelling, not both. */
static struct sl_json_at find_value(const struct sl_json_at *object, const struct sl_param *param,
                                    unsigned scope)
{
    struct sl_json_at found = sl_json_member(object, sl_param_key(param, scope));
    if (!param->alias || scope == SL_IN_JOB)
        return found;
    struct sl_json_at other = sl_json_member(object, param->alias);
    if (found.value && other.value) {
        sl_json_hint(&other, "take '%s' out", param->alias);
        sl_json_refuse(&other, "'%s' is another spelling of '%s', which is given too", param->alias,
                       param->key);
    }
    return found.value ? found : other;
}

void sl_params_read(const struct sl_json_at *object, unsigned scope, const char *const *other,
                    size_t other_count, struct sl_spec *spec)
{
    const char *keys[MAX_KEYS];
    size_t count = 0;
    for (size_t i = 0; i < other_count; i++)
        keys[count++] = other[i];
    for (size_t i = 0; i < sl_param_count; i++) {
        const char *key = sl_param_key(&sl_params[i], scope);
        if (key)
            keys[count++] = key;
        if (key && sl_params[i].alias && scope != SL_IN_JOB)
            keys[count++] = sl_params[i].alias;
    }
    sl_json_need_object(object, keys, count, 0);
    for (size_t i = 0; i < sl_param_count; i++) {
        if (!sl_param_key(&sl_params[i], scope))
            continue;
        struct sl_json_at at = find_value(object, &sl_params[i], scope);
        if (sl_json_more(&at))
            read_value(&sl_params[i], &at, scope, spec);
    }
}

/* The number, or the word's place, that `at` begins with; -1: neither. */
static int64_t parse_count(const struct sl_param *param, const char *at, const char **out_end)
{
    size_t len = strcspn(at, ",");
    *out_end = at + len;
    for (int i = 0; i < SL_PARAM_MAX_WORDS && param->words[i]; i++)
        if (strlen(param->words[i]) == len && strncmp(param->words[i], at, len) == 0)
            return i;
    if (param->words[0] || len == 0 || len > 9 || strspn(at, "0123456789") != len)
        return -1;
    long value = strtol(at, NULL, 10);
    return value >= (long)param->low && value <= (long)param->high ? value : -1;
}

static int refuse_counts(const struct sl_param *param, const char *text, struct sl_diag *diag)
{
    if (param->words[0]) {
        sl_diag_hint(diag, "say %s %s, or %s %s,%s for a run with each", param->option,
                     param->words[1], param->option, param->words[0], param->words[1]);
        return sl_diag_set(diag, SL_E_FORMAT, param->option,
                           "'%.60s' is no list of different words for %s", text, param->key);
    }
    if (param->hint)
        sl_diag_hint(diag, "%s, or a list of them", param->hint);
    else
        sl_diag_hint(diag, "say %s 4, or %s 1,2,4 for a run with each", param->option,
                     param->option);
    return sl_diag_set(diag, SL_E_FORMAT, param->option,
                       "'%.60s' is no list of different numbers of %s, %d to %d each", text,
                       param->key, (int)param->low, (int)param->high);
}

int sl_param_parse_counts(const struct sl_param *param, const char *text, struct sl_spec *spec,
                          struct sl_diag *diag)
{
    uint32_t *values = sl_param_value(param, spec);
    const char *at = text;
    size_t count = 0;
    do {
        const char *end;
        int64_t value = parse_count(param, at, &end);
        if (value < 0 || has_count(values, count, (uint32_t)value) || count == SL_SPEC_MAX_COUNTS)
            return refuse_counts(param, text, diag);
        values[count++] = (uint32_t)value;
        at = *end == ',' ? end + 1 : NULL;
    } while (at);
    *sl_param_items(param, spec) = count;
    return 0;
}

int sl_param_set_label(const struct sl_param *param, const char *key, const char *value,
                       struct sl_spec *spec, struct sl_diag *diag)
{
    const char **keys = texts_of(param, spec, false), **values = texts_of(param, spec, true);
    size_t *count = sl_param_items(param, spec), at = 0;
    while (at < *count && strcmp(keys[at], key) != 0)
        at++;
    if (!key[0] || !value[0] || strlen(key) >= SL_NAME_BYTES || strlen(value) >= SL_SELECTOR_BYTES)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, param->option,
                           "A label has 1 to %d bytes, its key 1 to %d", SL_SELECTOR_BYTES - 1,
                           SL_NAME_BYTES - 1);
    if (at == param->most)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, param->option, "There are more than %zu labels",
                           param->most);
    keys[at] = key;
    values[at] = value;
    *count += at == *count;
    return 0;
}

/* --- writing --- */

bool sl_param_is_set(const struct sl_param *param, unsigned scope, const struct sl_spec *spec)
{
    const void *value = sl_param_read(param, spec);
    switch (param->type) {
    case SL_PARAM_TEXT:
        return *(const char *const *)value != NULL;
    case SL_PARAM_PATH:
        return read_texts(param, spec, scope == SL_IN_JOB)[0] != NULL;
    case SL_PARAM_WORD:
        return *(const char *)value != '\0';
    case SL_PARAM_COUNT:
        return *(const uint32_t *)value != (uint32_t)param->initial;
    case SL_PARAM_NUMBER:
        return *(const int32_t *)value != 0;
    case SL_PARAM_REAL:
        return *(const double *)value < param->initial || *(const double *)value > param->initial;
    case SL_PARAM_FLAG:
        return *(const bool *)value;
    case SL_PARAM_CHOICE:
        return *(const int *)value != 0;
    case SL_PARAM_COUNTS:
        return sl_param_item_count(param, spec) > 1 ||
               *(const uint32_t *)value != (uint32_t)param->initial;
    case SL_PARAM_TEXTS:
    case SL_PARAM_LABELS:
        return sl_param_item_count(param, spec) > 0;
    case SL_PARAM_PATHS:
        return sl_param_item_count(param, spec) > 0 &&
               read_texts(param, spec, scope == SL_IN_JOB)[0] != NULL;
    case SL_PARAM_FIXED:
        return true;
    }
    return false;
}

static void put_fixed(struct sl_json *json, const char *key)
{
    sl_json_open_object(json, key);
    sl_json_open_array(json, "sme2");
    sl_json_text(json, NULL, "off");
    sl_json_text(json, NULL, "on");
    sl_json_close_array(json);
    sl_json_close_object(json);
}

static void put_list(struct sl_json *json, const char *key, const struct sl_param *param,
                     unsigned scope, const struct sl_spec *spec)
{
    bool digests = scope == SL_IN_JOB && param->type == SL_PARAM_PATHS;
    const char *const *texts = read_texts(param, spec, digests);
    sl_json_open_array(json, key);
    for (size_t i = 0; i < sl_param_item_count(param, spec); i++)
        sl_json_text(json, NULL, texts[i]);
    sl_json_close_array(json);
}

/* A list in a configuration, the one number in a job and a manifest. */
static void put_count(struct sl_json *json, const char *key, const struct sl_param *param,
                      uint32_t value)
{
    if (param->words[0])
        sl_json_text(json, key, param->words[value]);
    else
        sl_json_u64(json, key, value);
}

static void put_counts(struct sl_json *json, const char *key, const struct sl_param *param,
                       unsigned scope, const struct sl_spec *spec)
{
    const uint32_t *values = sl_param_read(param, spec);
    if (scope != SL_IN_EXPERIMENT) {
        put_count(json, key, param, values[0]);
        return;
    }
    sl_json_open_array(json, key);
    for (size_t i = 0; i < sl_param_item_count(param, spec); i++)
        put_count(json, NULL, param, values[i]);
    sl_json_close_array(json);
}

static void put_labels(struct sl_json *json, const char *key, const struct sl_param *param,
                       const struct sl_spec *spec)
{
    const char *const *keys = read_texts(param, spec, false);
    const char *const *values = read_texts(param, spec, true);
    sl_json_open_object(json, key);
    for (size_t i = 0; i < sl_param_item_count(param, spec); i++)
        sl_json_text(json, keys[i], values[i]);
    sl_json_close_object(json);
}

static void put_value(struct sl_json *json, const char *key, const struct sl_param *param,
                      unsigned scope, const struct sl_spec *spec)
{
    const void *value = sl_param_read(param, spec);
    switch (param->type) {
    case SL_PARAM_TEXT:
        sl_json_text(json, key, *(const char *const *)value);
        break;
    case SL_PARAM_PATH:
        sl_json_text(json, key, read_texts(param, spec, scope == SL_IN_JOB)[0]);
        break;
    case SL_PARAM_WORD:
        sl_json_text(json, key, value);
        break;
    case SL_PARAM_COUNT:
        sl_json_u64(json, key, *(const uint32_t *)value);
        break;
    case SL_PARAM_NUMBER:
        sl_json_i64(json, key, *(const int32_t *)value);
        break;
    case SL_PARAM_REAL:
        sl_json_f64(json, key, *(const double *)value);
        break;
    case SL_PARAM_FLAG:
        sl_json_bool(json, key, *(const bool *)value);
        break;
    case SL_PARAM_CHOICE:
        sl_json_text(json, key, param->words[*(const int *)value]);
        break;
    case SL_PARAM_COUNTS:
        put_counts(json, key, param, scope, spec);
        break;
    case SL_PARAM_TEXTS:
    case SL_PARAM_PATHS:
        put_list(json, key, param, scope, spec);
        break;
    case SL_PARAM_LABELS:
        put_labels(json, key, param, spec);
        break;
    case SL_PARAM_FIXED:
        put_fixed(json, key);
        break;
    }
}

/* With an external runner there is no factor, and its arguments are said always. */
static bool stands(const struct sl_param *param, unsigned scope, const struct sl_spec *spec)
{
    if (param->type == SL_PARAM_FIXED && spec->runner)
        return false;
    return (param->always & scope) || sl_param_is_set(param, scope, spec) ||
           (param->type == SL_PARAM_TEXTS && spec->runner);
}

void sl_params_put(struct sl_json *json, unsigned scope, unsigned without,
                   const struct sl_spec *spec)
{
    for (size_t i = 0; i < sl_param_count; i++) {
        const char *key = sl_param_key(&sl_params[i], scope);
        if (key && !(sl_params[i].in & without) && stands(&sl_params[i], scope, spec))
            put_value(json, key, &sl_params[i], scope, spec);
    }
}

/* --- the manifest --- */

void sl_params_record(struct sl_json *json, const struct sl_spec *spec)
{
    for (size_t i = 0; i < sl_param_count; i++) {
        const struct sl_param *param = &sl_params[i];
        if (param->record == SL_RECORD_ALWAYS || param->record == SL_RECORD_NULL ||
            (param->record == SL_RECORD_SET && sl_param_is_set(param, SL_IN_JOB, spec)))
            put_value(json, param->key, param, SL_IN_JOB, spec);
    }
}

static bool is_choice(const struct sl_param *param, const cJSON *value)
{
    bool fits = false;
    for (size_t i = 0; cJSON_IsString(value) && i < SL_PARAM_MAX_WORDS && param->words[i]; i++)
        fits = fits || strcmp(value->valuestring, param->words[i]) == 0;
    return fits;
}

static bool is_labels(const cJSON *value)
{
    for (const cJSON *label = value ? value->child : NULL; label; label = label->next)
        if (!cJSON_IsString(label))
            return false;
    return cJSON_IsObject(value);
}

bool sl_param_fits_record(const struct sl_param *param, const cJSON *value)
{
    double number = cJSON_IsNumber(value) ? value->valuedouble : NAN;
    switch (param->type) {
    case SL_PARAM_TEXT:
    case SL_PARAM_WORD:
        return (cJSON_IsString(value) && value->valuestring[0]) ||
               (param->record == SL_RECORD_NULL && cJSON_IsNull(value));
    case SL_PARAM_COUNT:
    case SL_PARAM_NUMBER:
    case SL_PARAM_COUNTS:
        if (param->words[0])
            return is_choice(param, value);
        return number >= param->low && number <= param->high && floor(number) == number &&
               (param->record != SL_RECORD_SET || number < param->initial ||
                number > param->initial);
    case SL_PARAM_REAL:
        return number >= param->low && number <= param->high;
    case SL_PARAM_FLAG:
        return cJSON_IsTrue(value);
    case SL_PARAM_CHOICE:
        return is_choice(param, value);
    case SL_PARAM_LABELS:
        return is_labels(value);
    default:
        return false;
    }
}

/* --- files --- */

static int each_path(const struct sl_param *param, struct sl_spec *spec, sl_param_file_fn call,
                     void *user)
{
    const char **paths = texts_of(param, spec, false), **digests = texts_of(param, spec, true);
    size_t count = param->type == SL_PARAM_PATHS ? sl_param_item_count(param, spec) : 1;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        if (paths[i] || digests[i])
            rc = call(user, param, paths[i], &digests[i]);
    return rc;
}

int sl_params_each_file(struct sl_spec *spec, sl_param_file_fn call, void *user)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sl_param_count; i++)
        if (sl_params[i].type == SL_PARAM_PATH || sl_params[i].type == SL_PARAM_PATHS)
            rc = each_path(&sl_params[i], spec, call, user);
    return rc;
}

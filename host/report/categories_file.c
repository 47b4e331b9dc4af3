/* host/report/categories_file.c */
#include "host/report/categories_file.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/utf8.h"

/* configs/categories.json, put in by the build (scripts/cmake/SlEmbed.cmake). */
extern const unsigned char sl_categories_json[];
extern const unsigned long sl_categories_json_size;

struct sl_categories_pool {
    char *framework[SL_RULES_MAX_FRAMEWORK];
    struct sl_rule *rules; /* their words are owned too */
    size_t rule_count, rule_capacity;
    char *parts[SL_RULES_MAX_PARTS];
    size_t part_count;
    size_t framework_count;
};

struct reader {
    struct sl_categories_pool *pool;
    struct sl_rules *rules;
    struct sl_diag *diag;
};

__attribute__((format(printf, 3, 4))) static int bad(const struct reader *r, const char *pointer,
                                                     const char *format, ...)
{
    char what[200];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    return sl_diag_set(r->diag, SL_E_FORMAT, pointer, "%s", what);
}

/* Brackets outside of strings, so that the parser's recursion is bounded before it begins. */
static bool depth_is_fine(struct sl_bytes json)
{
    size_t depth = 0;
    bool text = false;
    for (size_t i = 0; i < json.size; i++) {
        uint8_t c = json.data[i];
        if (text && c == '\\')
            i++;
        else if (c == '"')
            text = !text;
        else if (!text && (c == '{' || c == '[') && ++depth > SL_CATEGORIES_MAX_DEPTH)
            return false;
        else if (!text && (c == '}' || c == ']') && depth > 0)
            depth--;
    }
    return true;
}

static int add_framework(const struct reader *r, const cJSON *item, size_t i)
{
    char pointer[64];
    snprintf(pointer, sizeof(pointer), "/framework/%zu", i);
    if (!cJSON_IsString(item) || item->valuestring[0] == '\0')
        return bad(r, pointer, "an event's name is expected");
    if (i == SL_RULES_MAX_FRAMEWORK)
        return sl_diag_set(r->diag, SL_E_LIMIT, pointer, "more than %d names",
                           SL_RULES_MAX_FRAMEWORK);
    r->pool->framework[i] = sl_strndup(item->valuestring, strlen(item->valuestring));
    if (!r->pool->framework[i])
        return -ENOMEM;
    r->pool->framework_count = i + 1;
    return 0;
}

static int grow_rules(struct sl_categories_pool *pool)
{
    size_t capacity = pool->rule_capacity ? pool->rule_capacity * 2 : 256;
    void *grown = sl_realloc(pool->rules, capacity, sizeof(*pool->rules));
    if (!grown)
        return -ENOMEM;
    pool->rules = grown;
    pool->rule_capacity = capacity;
    return 0;
}

/* Finds or adds the part that a rule names. */
static int read_part(const struct reader *r, const cJSON *item, const char *pointer,
                     const char **out_part)
{
    struct sl_categories_pool *pool = r->pool;
    size_t i = 0;
    *out_part = NULL;
    if (!item)
        return 0;
    if (!cJSON_IsString(item) || item->valuestring[0] == '\0' ||
        strlen(item->valuestring) >= SL_CATEGORIES_PART_BYTES)
        return bad(r, pointer, "a name of at most %d bytes is expected",
                   SL_CATEGORIES_PART_BYTES - 1);
    while (i < pool->part_count && strcmp(pool->parts[i], item->valuestring) != 0)
        i++;
    if (i == SL_RULES_MAX_PARTS)
        return sl_diag_set(r->diag, SL_E_LIMIT, pointer, "more than %d parts", SL_RULES_MAX_PARTS);
    if (i == pool->part_count) {
        pool->parts[i] = sl_strndup(item->valuestring, strlen(item->valuestring));
        if (!pool->parts[i])
            return -ENOMEM;
        pool->part_count++;
    }
    *out_part = pool->parts[i];
    return 0;
}

/* What a rule gives; its words are those of `item`. */
static int add_phrase(const struct reader *r, struct sl_rule rule, const cJSON *item,
                      const char *pointer)
{
    struct sl_categories_pool *pool = r->pool;
    char words[SL_RULES_MAX_WORDS_BYTES];
    if (!cJSON_IsString(item))
        return bad(r, pointer, "a phrase of words is expected");
    sl_rules_normalise(item->valuestring, strlen(item->valuestring), words, sizeof(words));
    if (words[0] == '\0')
        return bad(r, pointer, "the phrase has no letter or digit");
    if (pool->rule_count == SL_RULES_MAX_PHRASES)
        return sl_diag_set(r->diag, SL_E_LIMIT, pointer, "more than %d phrases",
                           SL_RULES_MAX_PHRASES);
    if (pool->rule_count == pool->rule_capacity && grow_rules(pool) < 0)
        return -ENOMEM;
    char *copy = sl_strndup(words, strlen(words));
    if (!copy)
        return -ENOMEM;
    rule.words = copy;
    pool->rules[pool->rule_count++] = rule;
    return 0;
}

static int read_category(const struct reader *r, const cJSON *item, const char *pointer,
                         int *out_category)
{
    int category = cJSON_IsString(item) ? sl_category_parse(item->valuestring) : -1;
    if (category < 0 || category == SL_CATEGORY_FRAMEWORK)
        return bad(r, pointer, "one of CONV, GEMM, Data Movement, Elementwise, Other is expected");
    *out_category = category;
    return 0;
}

/* Every key of `object` must be one of `known` (NULL ends it), and the first `needed` of those
 * present. */
static int check_keys(const struct reader *r, const cJSON *object, const char *pointer,
                      const char *const *known, size_t needed)
{
    if (!cJSON_IsObject(object))
        return bad(r, pointer, "an object is expected");
    for (const cJSON *item = object->child; item; item = item->next) {
        size_t i = 0;
        while (known[i] && strcmp(known[i], item->string) != 0)
            i++;
        if (!known[i])
            return bad(r, pointer, "unknown key \"%.64s\"", item->string);
    }
    for (size_t i = 0; i < needed; i++) {
        if (!cJSON_GetObjectItemCaseSensitive(object, known[i]))
            return bad(r, pointer, "the key \"%s\" is missing", known[i]);
    }
    return 0;
}

static int read_rule(const struct reader *r, const cJSON *rule, size_t i)
{
    static const char *const keys[] = {"category", "words", "part", NULL};
    char pointer[64];
    snprintf(pointer, sizeof(pointer), "/rules/%zu", i);
    struct sl_rule made = {.category = SL_CATEGORY_OTHER};
    int rc = check_keys(r, rule, pointer, keys, 2);
    if (rc < 0)
        return rc;
    snprintf(pointer, sizeof(pointer), "/rules/%zu/category", i);
    rc = read_category(r, cJSON_GetObjectItemCaseSensitive(rule, "category"), pointer,
                       &made.category);
    snprintf(pointer, sizeof(pointer), "/rules/%zu/part", i);
    if (rc == 0)
        rc = read_part(r, cJSON_GetObjectItemCaseSensitive(rule, "part"), pointer, &made.part);
    const cJSON *words = cJSON_GetObjectItemCaseSensitive(rule, "words");
    snprintf(pointer, sizeof(pointer), "/rules/%zu/words", i);
    if (rc == 0 && !cJSON_IsArray(words))
        rc = bad(r, pointer, "an array of phrases is expected");
    size_t k = 0;
    for (const cJSON *item = words->child; rc == 0 && item; item = item->next, k++) {
        snprintf(pointer, sizeof(pointer), "/rules/%zu/words/%zu", i, k);
        rc = add_phrase(r, made, item, pointer);
    }
    return rc;
}

static int read_arrays(const struct reader *r, const cJSON *root)
{
    const cJSON *framework = cJSON_GetObjectItemCaseSensitive(root, "framework");
    const cJSON *rules = cJSON_GetObjectItemCaseSensitive(root, "rules");
    if (!cJSON_IsArray(framework))
        return bad(r, "/framework", "an array of event names is expected");
    if (!cJSON_IsArray(rules))
        return bad(r, "/rules", "an array of rules is expected");
    int rc = 0;
    size_t i = 0;
    for (const cJSON *item = framework->child; rc == 0 && item; item = item->next)
        rc = add_framework(r, item, i++);
    i = 0;
    for (const cJSON *item = rules->child; rc == 0 && item; item = item->next)
        rc = read_rule(r, item, i++);
    return rc;
}

static int read_root(const struct reader *r, const cJSON *root)
{
    static const char *const keys[] = {"version", "fallback", "framework", "rules", NULL};
    int rc = check_keys(r, root, "/", keys, 4);
    if (rc < 0)
        return rc;
    const cJSON *version = cJSON_GetObjectItemCaseSensitive(root, "version");
    if (!cJSON_IsNumber(version) || !(version->valuedouble >= 0 && version->valuedouble < 1e9))
        return bad(r, "/version", "a whole number is expected");
    r->rules->version = (int64_t)version->valuedouble;
    rc = read_category(r, cJSON_GetObjectItemCaseSensitive(root, "fallback"), "/fallback",
                       &r->rules->fallback);
    return rc < 0 ? rc : read_arrays(r, root);
}

/* The JSON as a tree; cJSON_Delete() it. NULL with `diag` set and *out_rc negative. */
static cJSON *read_json(struct sl_bytes json, const char *file, struct sl_diag *diag, int *out_rc)
{
    const char *end = NULL;
    *out_rc = SL_E_LIMIT;
    if (json.size > SL_CATEGORIES_MAX_BYTES) {
        sl_diag_set(diag, SL_E_LIMIT, file, "the rules are larger than %d bytes",
                    SL_CATEGORIES_MAX_BYTES);
        return NULL;
    }
    if (!depth_is_fine(json)) {
        sl_diag_set(diag, SL_E_LIMIT, file, "the JSON nests deeper than %d levels",
                    SL_CATEGORIES_MAX_DEPTH);
        return NULL;
    }
    size_t bad = sl_utf8_first_bad(json);
    *out_rc = SL_E_FORMAT;
    if (bad < json.size) {
        sl_diag_set(diag, SL_E_FORMAT, file, "byte %zu, 0x%02x, is not UTF-8", bad, json.data[bad]);
        return NULL;
    }
    cJSON *root = cJSON_ParseWithLengthOpts((const char *)json.data, json.size, &end, 0);
    *out_rc = root ? 0 : SL_E_FORMAT;
    if (!root)
        sl_diag_set(diag, SL_E_FORMAT, file, "not JSON from byte %zu on",
                    end && json.size > 0 ? (size_t)(end - (const char *)json.data) : 0);
    return root;
}

/* Puts the file's name before the JSON pointer of a failure. */
static void name_file(const char *file, struct sl_diag *diag)
{
    char pointer[64];
    if (!diag || diag->where[0] != '/')
        return;
    snprintf(pointer, sizeof(pointer), "%.63s", diag->where);
    snprintf(diag->where, sizeof(diag->where), "%.120s at %s", file, pointer);
}

int sl_categories_parse(struct sl_bytes json, const char *file, struct sl_categories *out,
                        struct sl_diag *diag)
{
    struct sl_categories made = {.pool = NULL};
    struct reader r = {.rules = &made.rules, .diag = diag};
    int rc;
    cJSON *root = read_json(json, file, diag, &rc);
    if (!root)
        return rc;
    made.pool = r.pool = sl_calloc(1, sizeof(*made.pool));
    rc = made.pool ? read_root(&r, root) : -ENOMEM;
    cJSON_Delete(root);
    if (rc < 0) {
        name_file(file, diag);
        sl_categories_fini(&made);
        return rc;
    }
    made.rules.framework = (const char *const *)made.pool->framework;
    made.rules.framework_count = made.pool->framework_count;
    made.rules.rules = made.pool->rules;
    made.rules.rule_count = made.pool->rule_count;
    snprintf(made.file, sizeof(made.file), "%s", file);
    sl_sha256_hex(json.data, json.size, made.sha256);
    *out = made;
    return 0;
}

int sl_categories_load(const char *path, struct sl_categories *out, struct sl_diag *diag)
{
    struct sl_buf buf;
    if (!path) {
        struct sl_bytes json = {sl_categories_json, sl_categories_json_size};
        return sl_categories_parse(json, "categories.json", out, diag);
    }
    int rc = sl_buf_read_file(path, SL_CATEGORIES_MAX_BYTES, &buf);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "the rules cannot be read: %s", sl_strerror(rc));
    rc = sl_categories_parse((struct sl_bytes){buf.data, buf.size}, path, out, diag);
    sl_buf_fini(&buf);
    return rc;
}

void sl_categories_fini(struct sl_categories *categories)
{
    struct sl_categories_pool *pool = categories->pool;
    if (pool) {
        for (size_t i = 0; i < pool->framework_count; i++)
            sl_free(pool->framework[i]);
        for (size_t i = 0; i < pool->part_count; i++)
            sl_free(pool->parts[i]);
        for (size_t i = 0; i < pool->rule_count; i++)
            sl_free((char *)(uintptr_t)pool->rules[i].words);
        sl_free(pool->rules);
    }
    sl_free(pool);
    *categories = (struct sl_categories){.pool = NULL};
}

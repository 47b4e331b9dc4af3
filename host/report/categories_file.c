/* host/report/categories_file.c */
#include "host/report/categories_file.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "host/spec/json_read.h"

enum { MAX_VERSION = 999999999 };

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

/* A copy that the pool owns; a failed allocation stops the reader. */
static char *keep(const struct sl_json_at *at, const char *text)
{
    char *copy = sl_strndup(text, strlen(text));
    if (!copy)
        sl_json_stop(at, -ENOMEM);
    return copy;
}

static void add_framework(struct sl_categories_pool *pool, const struct sl_json_at *at)
{
    if (!sl_json_has_text(at)) {
        sl_json_refuse(at, "an event's name is expected");
        return;
    }
    char *name = pool->framework[pool->framework_count] = keep(at, sl_json_get_text(*at));
    pool->framework_count += name != NULL;
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

/* Finds or adds the part that a rule names; NULL: none. */
static const char *read_part(struct sl_categories_pool *pool, struct sl_json_at at)
{
    size_t i = 0;
    const char *name = at.value && sl_json_has_text(&at) ? sl_json_get_text(at) : NULL;
    if (at.value && (!name || strlen(name) >= SL_CATEGORIES_PART_BYTES))
        sl_json_refuse(&at, "a name of at most %d bytes is expected", SL_CATEGORIES_PART_BYTES - 1);
    if (!sl_json_more(&at))
        return NULL;
    while (i < pool->part_count && strcmp(pool->parts[i], name) != 0)
        i++;
    if (i == SL_RULES_MAX_PARTS) {
        sl_json_refuse(&at, "more than %d parts", SL_RULES_MAX_PARTS);
        return NULL;
    }
    if (i == pool->part_count) {
        pool->parts[i] = keep(&at, name);
        pool->part_count += pool->parts[i] != NULL;
    }
    return pool->parts[i];
}

/* Adds what a rule gives to the phrase of words at `at`. */
static void add_phrase(struct sl_categories_pool *pool, struct sl_rule rule,
                       const struct sl_json_at *at)
{
    char words[SL_RULES_MAX_WORDS_BYTES] = "";
    if (!sl_json_has_text(at)) {
        sl_json_refuse(at, "a phrase of words is expected");
        return;
    }
    const char *phrase = sl_json_get_text(*at);
    sl_rules_normalise(phrase, strlen(phrase), words, sizeof(words));
    if (words[0] == '\0')
        sl_json_refuse(at, "the phrase has no letter or digit");
    if (pool->rule_count == SL_RULES_MAX_PHRASES)
        sl_json_refuse(at, "more than %d phrases", SL_RULES_MAX_PHRASES);
    if (pool->rule_count == pool->rule_capacity)
        sl_json_stop(at, grow_rules(pool));
    rule.words = at->reader->error == 0 ? keep(at, words) : NULL;
    if (rule.words)
        pool->rules[pool->rule_count++] = rule;
}

static int read_category(struct sl_json_at at)
{
    const char *name = sl_json_has_text(&at) ? sl_json_get_text(at) : NULL;
    int category = name ? sl_category_parse(name) : -1;
    if (category < 0 || category == SL_CATEGORY_FRAMEWORK)
        sl_json_refuse(&at, "one of CONV, GEMM, Data Movement, Elementwise, Other is expected");
    return category;
}

/* Every key of the object must be one of `known` (NULL ends it), and the first `needed` of those
 * present. */
static void check_keys(const struct sl_json_at *object, const char *const *known, size_t needed)
{
    if (!cJSON_IsObject(object->value))
        sl_json_refuse(object, "an object is expected");
    for (struct sl_json_at at = sl_json_first(object); sl_json_more(&at); sl_json_next(&at)) {
        size_t i = 0;
        while (known[i] && strcmp(known[i], at.key) != 0)
            i++;
        if (!known[i])
            sl_json_refuse(object, "unknown key \"%.64s\"", at.key);
    }
    for (size_t i = 0; i < needed; i++)
        if (!sl_json_member(object, known[i]).value)
            sl_json_refuse(object, "the key \"%s\" is missing", known[i]);
}

static void read_rule(struct sl_categories_pool *pool, const struct sl_json_at *at)
{
    static const char *const keys[] = {"category", "words", "part", NULL};
    struct sl_json_at words = sl_json_member(at, "words");
    check_keys(at, keys, 2);
    struct sl_rule made = {.category = read_category(sl_json_member(at, "category")),
                           .part = read_part(pool, sl_json_member(at, "part"))};
    if (!sl_json_is_array(&words))
        sl_json_refuse(&words, "an array of phrases is expected");
    for (struct sl_json_at item = sl_json_first(&words); sl_json_more(&item); sl_json_next(&item))
        add_phrase(pool, made, &item);
}

static void read_root(const struct sl_json_at *root, struct sl_categories_pool *pool,
                      struct sl_rules *rules)
{
    static const char *const keys[] = {"version", "fallback", "framework", "rules", NULL};
    struct sl_json_at framework = sl_json_member(root, "framework"),
                      list = sl_json_member(root, "rules"),
                      version = sl_json_member(root, "version");
    uint32_t number = 0;
    check_keys(root, keys, 4);
    sl_json_get_integer(version, 0, MAX_VERSION, &number);
    rules->version = number;
    rules->fallback = read_category(sl_json_member(root, "fallback"));
    if (!sl_json_is_array(&framework))
        sl_json_refuse(&framework, "an array of event names is expected");
    if (!sl_json_is_array(&list))
        sl_json_refuse(&list, "an array of rules is expected");
    sl_json_need_array(&framework, SL_RULES_MAX_FRAMEWORK, "names");
    for (struct sl_json_at at = sl_json_first(&framework); sl_json_more(&at); sl_json_next(&at))
        add_framework(pool, &at);
    for (struct sl_json_at at = sl_json_first(&list); sl_json_more(&at); sl_json_next(&at))
        read_rule(pool, &at);
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

int sl_categories_parse(struct sl_bytes json, const char *file, struct sl_categories *out,
                        struct sl_diag *diag)
{
    struct sl_categories made = {.pool = NULL};
    struct sl_json_reader reader = {.diag = diag};
    int rc;
    cJSON *root = read_json(json, file, diag, &rc);
    if (!root)
        return rc;
    made.pool = sl_calloc(1, sizeof(*made.pool));
    if (!made.pool) {
        cJSON_Delete(root);
        return -ENOMEM;
    }
    struct sl_json_at at = sl_json_root(&reader, root);
    read_root(&at, made.pool, &made.rules);
    cJSON_Delete(root);
    if (reader.error < 0) {
        sl_json_name_file(file, diag);
        sl_categories_fini(&made);
        return reader.error;
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

/* host/analysis/category.c */
#include "host/analysis/category.h"

#include <assert.h>
#include <string.h>

static const char *const names[SL_CATEGORY_COUNT] = {"CONV",        "GEMM",  "Data Movement",
                                                     "Elementwise", "Other", "Framework"};
#define NATIVE_CALL "native_call_"

const char *sl_category_name(int category)
{
    assert(category >= 0 && category < SL_CATEGORY_COUNT);
    return names[category];
}

int sl_category_parse(const char *name)
{
    for (int i = 0; i < SL_CATEGORY_COUNT; i++) {
        if (strcmp(names[i], name) == 0)
            return i;
    }
    return -1;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

size_t sl_rules_stem(const char *name, size_t len)
{
    size_t end = len;
    while (end > 0 && is_digit(name[end - 1]))
        end--;
    bool counted = end < len && end > 2 && name[end - 1] == '#' && name[end - 2] == ' ';
    return counted ? end - 2 : len;
}

/* Lower-case letter or digit, or 0 for what separates words. Independent of the locale. */
static char word_char(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return (c >= 'a' && c <= 'z') || is_digit(c) ? c : '\0';
}

void sl_rules_normalise(const char *name, size_t len, char *out, size_t size)
{
    assert(size >= 2);
    len = sl_rules_stem(name, len);
    size_t skip = strlen(NATIVE_CALL);
    size_t at = len >= skip && memcmp(name, NATIVE_CALL, skip) == 0 ? skip : 0;
    size_t used = 0;
    out[used++] = ' ';
    for (; at < len && used + 2 < size; at++) {
        char c = word_char(name[at]);
        if (c != '\0')
            out[used++] = c;
        else if (out[used - 1] != ' ')
            out[used++] = ' ';
    }
    if (out[used - 1] != ' ')
        out[used++] = ' ';
    out[used == 1 ? 0 : used] = '\0';
}

bool sl_rules_is_framework(const struct sl_rules *rules, const char *name, size_t len)
{
    for (size_t i = 0; i < rules->framework_count; i++) {
        const char *shell = rules->framework[i];
        if (strlen(shell) == len && memcmp(shell, name, len) == 0)
            return true;
    }
    return false;
}

const struct sl_rule *sl_rules_find(const struct sl_rules *rules, const char *name, size_t len)
{
    char words[SL_RULES_MAX_WORDS_BYTES];
    sl_rules_normalise(name, len, words, sizeof(words));
    for (size_t i = 0; i < rules->rule_count; i++)
        if (strstr(words, rules->rules[i].words))
            return &rules->rules[i];
    return NULL;
}

int sl_rules_classify(const struct sl_rules *rules, const char *name, size_t len, bool *out_known)
{
    const struct sl_rule *rule = sl_rules_find(rules, name, len);
    if (out_known)
        *out_known = rule != NULL;
    return rule ? rule->category : rules->fallback;
}

/* host/analysis/category.h: the categories of work, and the rules that put an operator's name into
 * one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sl_category {
    SL_CATEGORY_CONV,
    SL_CATEGORY_GEMM,
    SL_CATEGORY_MOVEMENT,
    SL_CATEGORY_ELEMENTWISE,
    SL_CATEGORY_OTHER,
    SL_CATEGORY_FRAMEWORK, /* the runtime's own shells: no rule may give it */
    SL_CATEGORY_COUNT
};

/* The name as files and tables print it ("Data Movement"). `category` is one of the enum. */
const char *sl_category_name(int category);
/* The category of that exact name, or -1. */
int sl_category_parse(const char *name);

enum {
    SL_RULES_MAX_PHRASES = 4096,
    SL_RULES_MAX_FRAMEWORK = 256,
    SL_RULES_MAX_PARTS = 64,
    SL_RULES_MAX_WORDS_BYTES = 512, /* of a name in its normal form; the rest is not looked at */
};

/* One phrase in its normal form; phrases of one rule stand in a row, rules in order. */
struct sl_rule {
    int category; /* enum sl_category */
    const char *words;
    const char *part; /* of the category: "softmax"; NULL: none. Equal texts are one */
};

/* Arrays and texts are owned by whoever loaded them (host/report/categories_file.h). */
struct sl_rules {
    int64_t version;
    int fallback; /* of names that no phrase matches */
    const char *const *framework;
    size_t framework_count;
    const struct sl_rule *rules;
    size_t rule_count;
};

/* Writes the normal form of `name`: lower-case letters and digits, every run of other bytes one
 * space, a space at both ends (" max pool2d with indices out "). A last " #N" and a leading
 * "native_call_" are left out. Empty text if there is no letter or digit; cut at `size`. */
void sl_rules_normalise(const char *name, size_t len, char *out, size_t size);

/* Length of `name` without a last " #N". */
size_t sl_rules_stem(const char *name, size_t len);

/* Is it one of the runtime's own event names, exactly? */
bool sl_rules_is_framework(const struct sl_rules *rules, const char *name, size_t len);

/* The first rule with a phrase that is in an operator's name or a serialized node's kind; or NULL.
 */
const struct sl_rule *sl_rules_find(const struct sl_rules *rules, const char *name, size_t len);
/* Its category; without one the fallback, and *out_known (may be NULL) is false. Never
 * SL_CATEGORY_FRAMEWORK. */
int sl_rules_classify(const struct sl_rules *rules, const char *name, size_t len, bool *out_known);

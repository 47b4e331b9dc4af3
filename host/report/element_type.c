/* host/report/element_type.c */
#include "host/report/element_type.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "host/analysis/attribution.h"

enum { TYPES = 6 };
static const double least_share = 0.05;

/* In words of names, the most telling first: a product of f32 with 4-bit weights is one of those.
 */
static const struct {
    const char *name;
    const char *words[6];
} types[TYPES] = {
    {"int4", {" qb4w ", " qc4w ", " q4 "}},
    {"int8 (dynamic)", {" qd8 ", " qp8 ", " qdu8 "}},
    {"int8", {" qs8 ", " pqs8 ", " qc8w ", " qc8 ", " qu8 "}},
    {"bf16", {" bf16 ", " pbf16 "}},
    {"f16", {" f16 ", " pf16 "}},
    {"f32", {" f32 ", " pf32 "}},
};

static int type_in(const char *text, size_t len)
{
    char words[SL_RULES_MAX_WORDS_BYTES];
    sl_rules_normalise(text, len, words, sizeof(words));
    for (int i = 0; i < TYPES; i++) {
        for (const char *const *word = types[i].words; *word; word++)
            if (strstr(words, *word))
                return i;
    }
    return -1;
}

static int type_of(const struct sl_operator *op)
{
    int type = type_in(op->name, op->name_len);
    return type < 0 && op->kernel ? type_in(op->kernel, strlen(op->kernel)) : type;
}

/* The costliest type that is left; -1: none. Its cost becomes 0. */
static int take_costliest(double costs[TYPES], double least)
{
    int found = -1;
    for (int i = 0; i < TYPES; i++)
        if (costs[i] > 0 && costs[i] >= least && (found < 0 || costs[i] > costs[found]))
            found = i;
    if (found >= 0)
        costs[found] = 0;
    return found;
}

void sl_element_types(const struct sl_attribution *attribution, char *out, size_t size)
{
    double costs[TYPES] = {0}, whole = 0;
    size_t used = 0;
    for (size_t i = 0; i < attribution->operator_count; i++) {
        const struct sl_operator *op = &attribution->operators[i];
        bool product = op->category == SL_CATEGORY_CONV || op->category == SL_CATEGORY_GEMM;
        int type = product && op->total > 0 ? type_of(op) : -1;
        if (type < 0)
            continue;
        costs[type] += (double)op->total;
        whole += (double)op->total;
    }
    out[0] = '\0';
    for (int type; (type = take_costliest(costs, least_share * whole)) >= 0;)
        used +=
            (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", types[type].name);
}

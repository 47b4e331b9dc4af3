/* host/analysis/conditions.c */
#include "host/analysis/conditions.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "host/analysis/comparison.h"

static const char *const names[SL_CONDITION_COUNT] = {"sme2",        "model", "inputs", "threads",
                                                      "concurrency", "cpus",  "device", "power",
                                                      "runtime",     "build"};

const char *sl_condition_name(int condition)
{
    return condition == SL_CONDITION_NONE ? "run" : names[condition];
}

int sl_condition_parse(const char *name)
{
    for (int i = 0; i < SL_CONDITION_COUNT; i++) {
        if (strcmp(name, names[i]) == 0)
            return i;
    }
    return SL_CONDITION_NONE;
}

static bool known(const struct sl_conditions *a, const struct sl_conditions *b, int i)
{
    return a->values[i][0] != '\0' && b->values[i][0] != '\0';
}

/* One process on any CPU is what everybody measures who says nothing of them; a device that does
 * not tell how it is powered has told nothing at any time. */
static bool goes_without_saying(const struct sl_conditions *conditions, int i)
{
    static const char *const usual[SL_CONDITION_COUNT] = {[SL_CONDITION_CONCURRENCY] = "1",
                                                          [SL_CONDITION_CPUS] = "any",
                                                          [SL_CONDITION_POWER] = "",
                                                          [SL_CONDITION_RUNTIME] = ""};
    const char *value = conditions->values[i];
    return usual[i] && (value[0] == '\0' || strcmp(value, usual[i]) == 0);
}

static bool differ(const struct sl_conditions *a, const struct sl_conditions *b, int i)
{
    return known(a, b, i) && strcmp(a->values[i], b->values[i]) != 0;
}

int sl_conditions_factor(const struct sl_conditions *baseline,
                         const struct sl_conditions *candidate)
{
    static const int wanted[] = {SL_CONDITION_SME2, SL_CONDITION_RUNTIME, SL_CONDITION_BUILD};
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        if (differ(baseline, candidate, wanted[i]))
            return wanted[i];
    }
    return SL_CONDITION_NONE;
}

/* Twelve digits of a SHA-256 tell as much to a person as all of them. */
static int shown_length(const char *value)
{
    bool digest = strlen(value) == 64 && strspn(value, "0123456789abcdef") == 64;
    return digest ? 12 : 48;
}

void sl_conditions_check(const struct sl_conditions *baseline,
                         const struct sl_conditions *candidate, int factor,
                         struct sl_comparison *comparison)
{
    char unknown[128] = "";
    for (int i = 0; i < SL_CONDITION_COUNT; i++) {
        if (i == factor || (i == SL_CONDITION_BUILD && factor == SL_CONDITION_RUNTIME))
            continue; /* another runtime is another program */
        if (differ(baseline, candidate, i))
            sl_comparison_overrule(comparison, SL_VERDICT_INCOMPARABLE,
                                   "confounded: %s differs: %.*s against %.*s", names[i],
                                   shown_length(baseline->values[i]), baseline->values[i],
                                   shown_length(candidate->values[i]), candidate->values[i]);
        else if (!known(baseline, candidate, i) &&
                 !(goes_without_saying(baseline, i) && goes_without_saying(candidate, i)))
            snprintf(unknown + strlen(unknown), sizeof(unknown) - strlen(unknown), "%s%s",
                     unknown[0] ? ", " : "", names[i]);
    }
    if (unknown[0])
        sl_comparison_note(comparison, "nothing tells whether these are the same: %s", unknown);
}

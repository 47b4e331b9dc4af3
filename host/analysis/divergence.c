/* host/analysis/divergence.c */
#include "host/analysis/divergence.h"

#include <stdio.h>

#include "host/analysis/agreement.h"

const char *const sl_divergence_kinds[SL_DIVERGENCE_KINDS] = {"float", "half", "rounded", "steps",
                                                              "exact"};

double sl_divergence_limit(int kind)
{
    static const double limits[SL_DIVERGENCE_KINDS] = {
        [SL_DIVERGENCE_FLOAT] = SL_AGREEMENT_FLOAT,
        [SL_DIVERGENCE_HALF] = SL_AGREEMENT_HALF,
        [SL_DIVERGENCE_ROUNDED] = 1.0 / 256,
        [SL_DIVERGENCE_STEPS] = 1,
    };
    return limits[kind];
}

void sl_divergence_add(struct sl_divergence *divergence, const struct sl_operator_distance *row)
{
    if (divergence->found || row->distance <= sl_divergence_limit(row->kind))
        return;
    divergence->found = true;
    divergence->first = *row;
}

const char *sl_divergence_text(const struct sl_operator_distance *first,
                               char text[SL_DIVERGENCE_TEXT_BYTES])
{
    static const char *const measures[SL_DIVERGENCE_KINDS] = {
        [SL_DIVERGENCE_FLOAT] = " of its peak",
        [SL_DIVERGENCE_HALF] = " of its peak",
        [SL_DIVERGENCE_ROUNDED] = " in rms",
        [SL_DIVERGENCE_STEPS] = " steps",
        [SL_DIVERGENCE_EXACT] = "",
    };
    char place[48];
    if (first->node >= 0)
        snprintf(place, sizeof(place), "instruction %.0f, node %.0f", first->instruction,
                 first->node);
    else
        snprintf(place, sizeof(place), "instruction %.0f", first->instruction);
    snprintf(text, SL_DIVERGENCE_TEXT_BYTES, "%.56s (%s): %.3g%s, %.3g is promised", first->name,
             place, first->distance, measures[first->kind], sl_divergence_limit(first->kind));
    return text;
}

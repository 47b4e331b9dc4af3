/* host/analysis/conditions.h: what two runs were made under, and which of it differs: a comparison
 * is about one factor, and everything else must be the same. */
#pragma once

#include <stddef.h>

struct sl_comparison;

enum sl_condition {
    SL_CONDITION_SME2,   /* the variant: off or on */
    SL_CONDITION_MODEL,  /* hash of the model */
    SL_CONDITION_INPUTS, /* hash of the inputs and their shapes */
    SL_CONDITION_THREADS,
    SL_CONDITION_CONCURRENCY, /* processes that ran the model at a time */
    SL_CONDITION_CPUS,        /* that it was kept on, and threads in streaming mode */
    SL_CONDITION_DEVICE,      /* kind, processor, vector length, system */
    SL_CONDITION_POWER,       /* governor and top frequency of each cluster */
    SL_CONDITION_RUNTIME,     /* own or executorch */
    SL_CONDITION_BUILD,       /* hash of the agent */
    SL_CONDITION_COUNT,
};
#define SL_CONDITION_NONE (-1) /* the factor of two runs that should be alike */

struct sl_conditions {
    char values[SL_CONDITION_COUNT][96]; /* "" where nothing is known */
};

/* "sme2", "model" ... as options and JSON have them. */
const char *sl_condition_name(int condition);
/* The condition of that name, or SL_CONDITION_NONE. */
int sl_condition_parse(const char *name);

/* Returns the condition to compare two runs for by default: SME2 on or off, else the runtime, else
 * the build, if these are known to differ. */
int sl_conditions_factor(const struct sl_conditions *baseline,
                         const struct sl_conditions *candidate);

/* Makes the verdict `incomparable` if anything but the factor is known to differ; each difference
 * is a reason. What one side does not know is a reason too, but no verdict. */
void sl_conditions_check(const struct sl_conditions *baseline,
                         const struct sl_conditions *candidate, int factor,
                         struct sl_comparison *comparison);

/* host/cli/history_cause.h: which category and operator of an arm changed most between two runs. */
#pragma once

#include <stddef.h>

struct cJSON;

/* One thing's cost per run, before and after; `name` is borrowed from the later run, or from the
 * earlier where it is gone; NULL: nothing changed. */
struct sl_history_part {
    const char *name;
    double before, after;
};

/* Finds what changed most between two runs in arm 0 (off) or 1 (on). Reads the `list` of both
 * analyses' comparison ("categories", "operators"); entries of one name are added up. */
void sl_history_cause(const struct cJSON *before, const struct cJSON *after, const char *list,
                      int arm, struct sl_history_part *out);

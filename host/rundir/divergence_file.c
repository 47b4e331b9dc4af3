/* host/rundir/divergence_file.c */
#include "host/rundir/divergence_file.h"

#include <math.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "host/analysis/divergence.h"
#include "host/rundir/rundir.h"
#include "host/spec/json_value.h"

enum { MAX_ROWS = 64 };

/* A value that is no number was infinite. */
static bool read_row(const cJSON *from, struct sl_operator_distance *out)
{
    const char *kind = sl_value_text(from, "kind", NULL);
    *out = (struct sl_operator_distance){
        .name = sl_value_text(from, "name", NULL),
        .kernel = sl_value_text(from, "kernel", NULL),
        .reference = sl_value_text(from, "reference", NULL),
        .chain = sl_value_number(from, "chain", 0),
        .instruction = sl_value_number(from, "instruction", 0),
        .node = sl_value_number(from, "node", -1),
        .kind = SL_DIVERGENCE_KINDS,
        .distance = sl_value_number(from, "distance", (double)INFINITY),
        .max_abs = sl_value_number(from, "max_abs", (double)INFINITY),
    };
    for (int i = 0; kind && i < SL_DIVERGENCE_KINDS; i++)
        if (strcmp(kind, sl_divergence_kinds[i]) == 0)
            out->kind = i;
    return out->name && out->kind != SL_DIVERGENCE_KINDS;
}

void sl_divergence_read(const struct cJSON *manifest, struct sl_divergence *out)
{
    const cJSON *operators = sl_value(manifest, "operators");
    for (int level = 0; level < SL_RUNDIR_LEVELS; level++) {
        const cJSON *side = cJSON_GetArrayItem(operators, level);
        const cJSON *one, *rows = sl_value(side, "farther");
        int count = 0;
        out[level] = (struct sl_divergence){.known = cJSON_IsArray(rows)};
        out[level].compared = sl_value_number(side, "compared", 0);
        cJSON_ArrayForEach(one, rows)
        {
            struct sl_operator_distance row;
            if (count++ < MAX_ROWS && read_row(one, &row))
                sl_divergence_add(&out[level], &row);
        }
    }
}

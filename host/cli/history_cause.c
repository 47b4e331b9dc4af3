/* host/cli/history_cause.c */
#include "host/cli/history_cause.h"

#include <math.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "host/spec/json_value.h"

enum { MAX_ROWS = 2000 }; /* of either run: what is beyond is small */

/* One of the two units has the figure. */
static double cost_of(const cJSON *row, int arm)
{
    static const char *const keys[2][2] = {{"baseline_ns", "baseline_insns"},
                                           {"candidate_ns", "candidate_insns"}};
    double first = sl_value_number(row, keys[arm][0], 0);
    return first != 0 ? first : sl_value_number(row, keys[arm][1], 0);
}

static const cJSON *rows_of(const cJSON *analysis, const char *list)
{
    const cJSON *comparison = sl_value(analysis, "comparison");
    const cJSON *rows = sl_value(comparison, list);
    return rows ? rows->child : NULL;
}

static double sum_of(const cJSON *row, const char *name, int arm)
{
    double sum = 0;
    for (int i = 0; row && i < MAX_ROWS; i++, row = row->next)
        sum += strcmp(sl_value_text(row, "name", ""), name) == 0 ? cost_of(row, arm) : 0;
    return sum;
}

void sl_history_cause(const cJSON *before, const cJSON *after, const char *list, int arm,
                      struct sl_history_part *out)
{
    const cJSON *const rows[2] = {rows_of(after, list), rows_of(before, list)};
    double most = 0;
    *out = (struct sl_history_part){.name = NULL};
    for (int side = 0; side < 2; side++) {
        const cJSON *row = rows[side];
        for (int i = 0; row && i < MAX_ROWS; i++, row = row->next) {
            const char *name = sl_value_text(row, "name", "");
            struct sl_history_part part = {name, sum_of(rows[1], name, arm),
                                           sum_of(rows[0], name, arm)};
            if (name[0] && fabs(part.after - part.before) > most) {
                most = fabs(part.after - part.before);
                *out = part;
            }
        }
    }
}

/* host/report/published.c */
#include "host/report/published.h"

#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "host/spec/json_value.h"

/* configs/silicon/published/timings.json; put in by the build (host/CMakeLists.txt). */
extern const unsigned char sl_published_timings[];

static bool says(const cJSON *object, const char *key, const char *wanted)
{
    const char *text = sl_value_text(object, key, NULL);
    return text && wanted && strcmp(text, wanted) == 0;
}

static bool is_shape(const cJSON *shape, const struct sl_published_wish *wish)
{
    const uint64_t wanted[] = {wish->m, wish->n, wish->k};
    for (int i = 0; i < 3; i++) {
        const cJSON *size = cJSON_GetArrayItem(shape, i);
        if (!cJSON_IsNumber(size) || size->valuedouble != (double)wanted[i])
            return false;
    }
    return true;
}

/* GFLOPS are two operations for each multiply-add in a nanosecond. */
static void take(const cJSON *row, const struct sl_published_wish *wish, struct sl_published *out)
{
    double gflops = sl_value_number(row, "gflops", 0);
    const char *code = sl_value_text(row, "code", NULL);
    if (!code || !(gflops > 0))
        return;
    double ns = 2.0 * (double)wish->m * (double)wish->n * (double)wish->k / gflops;
    if (out->ns > 0 && ns >= out->ns)
        return;
    out->ns = ns;
    snprintf(out->code, sizeof(out->code), "%s", code);
}

bool sl_published_find(const struct sl_published_wish *wish, struct sl_published *out)
{
    struct sl_published found = {.ns = 0};
    const cJSON *row;
    cJSON *table = cJSON_Parse((const char *)sl_published_timings);
    if (says(table, "profile", wish->profile) && says(table, "type", wish->type)) {
        cJSON_ArrayForEach(row, sl_value(table, "rows"))
        {
            if (says(row, "engine", wish->engine) && is_shape(sl_value(row, "shape"), wish))
                take(row, wish, &found);
        }
    }
    cJSON_Delete(table);
    if (found.ns > 0)
        *out = found;
    return found.ns > 0;
}

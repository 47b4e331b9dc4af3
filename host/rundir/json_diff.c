/* host/rundir/json_diff.c */
#include "host/rundir/json_diff.h"
#include "host/spec/json_value.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

enum { VALUE_BYTES = 96 };

static void describe(const cJSON *value, char out[VALUE_BYTES])
{
    if (!value)
        snprintf(out, VALUE_BYTES, "nothing");
    else if (cJSON_IsNumber(value))
        snprintf(out, VALUE_BYTES, "%.17g", value->valuedouble);
    else if (cJSON_IsString(value))
        snprintf(out, VALUE_BYTES, "\"%.80s\"", value->valuestring);
    else if (cJSON_IsBool(value))
        snprintf(out, VALUE_BYTES, "%s", cJSON_IsTrue(value) ? "true" : "false");
    else if (cJSON_IsArray(value) || cJSON_IsObject(value))
        snprintf(out, VALUE_BYTES, "%s of %d", cJSON_IsArray(value) ? "an array" : "an object",
                 cJSON_GetArraySize(value));
    else
        snprintf(out, VALUE_BYTES, "null");
}

static void report(struct sl_json_diff *diff, const cJSON *said, const cJSON *found)
{
    char a[VALUE_BYTES];
    char b[VALUE_BYTES];
    describe(said, a);
    describe(found, b);
    diff->on_difference(diff->user, diff->pointer, a, b);
}

static bool equal_scalars(const cJSON *a, const cJSON *b)
{
    if (cJSON_IsNumber(a))
        return a->valuedouble == b->valuedouble;
    return !cJSON_IsString(a) || strcmp(a->valuestring, b->valuestring) == 0;
}

/* Goes one step down and back. */
static void step(struct sl_json_diff *diff, const char *name, const cJSON *said, const cJSON *found)
{
    size_t len = strlen(diff->pointer);
    snprintf(diff->pointer + len, sizeof(diff->pointer) - len, "/%s", name);
    if (said && found)
        sl_json_diff(diff, said, found);
    else
        report(diff, said, found);
    diff->pointer[len] = '\0';
}

static void diff_objects(struct sl_json_diff *diff, const cJSON *said, const cJSON *found)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, found)
    {
        step(diff, member->string, sl_value(said, member->string), member);
    }
    cJSON_ArrayForEach(member, said)
    {
        /* A second member of the same name is one too many. */
        if (!sl_value(found, member->string) || sl_value(said, member->string) != member)
            step(diff, member->string, member, NULL);
    }
}

static void diff_arrays(struct sl_json_diff *diff, const cJSON *said, const cJSON *found)
{
    const cJSON *a = said->child;
    const cJSON *b = found->child;
    for (unsigned i = 0; a || b; i++) {
        char index[16];
        snprintf(index, sizeof(index), "%u", i);
        step(diff, index, a, b);
        a = a ? a->next : NULL;
        b = b ? b->next : NULL;
    }
}

void sl_json_diff(struct sl_json_diff *diff, const struct cJSON *said, const struct cJSON *found)
{
    diff->numbers += cJSON_IsNumber(found) ? 1 : 0;
    if ((said->type & 0xff) != (found->type & 0xff))
        report(diff, said, found);
    else if (cJSON_IsObject(found))
        diff_objects(diff, said, found);
    else if (cJSON_IsArray(found))
        diff_arrays(diff, said, found);
    else if (!equal_scalars(said, found))
        report(diff, said, found);
}

/* host/spec/plan_paths.c */
#include "host/spec/plan_paths.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "host/spec/param.h"

static int resolve_text(cJSON *item, const char *file, enum sl_param_place place)
{
    char path[SL_SPEC_MAX_PATH + 1];
    const char *text = cJSON_GetStringValue(item), *slash = strrchr(file, '/');
    if (!text || !*text || *text == '/' || !slash)
        return 0;
    int len = snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - file), file, text);
    if (len < 0 || (size_t)len >= sizeof(path))
        return 0; /* it is not found then */
    bool beside = access(path, F_OK) == 0;
    if (place != SL_PLACE_WRITTEN && !beside &&
        (place == SL_PLACE_BESIDE || access(text, F_OK) == 0))
        return 0;
    return cJSON_SetValuestring(item, path) ? 0 : -ENOMEM;
}

/* A path, or a list of them. */
static int resolve(cJSON *object, const char *key, const char *file, enum sl_param_place place)
{
    cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key), *item;
    int rc = resolve_text(value, file, place);
    if (cJSON_IsArray(value)) {
        cJSON_ArrayForEach(item, value)
        {
            rc = rc < 0 ? rc : resolve_text(item, file, place);
        }
    }
    return rc;
}

static int resolve_object(cJSON *object, const char *file)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sl_param_count; i++) {
        const struct sl_param *param = &sl_params[i];
        bool path = param->type == SL_PARAM_PATH || param->type == SL_PARAM_PATHS;
        if (!path && param->place == SL_PLACE_ANY)
            continue;
        rc = resolve(object, param->key, file, param->place);
        if (rc == 0 && param->alias)
            rc = resolve(object, param->alias, file, param->place);
    }
    return rc;
}

int sl_plan_paths_resolve(cJSON *document, const char *file)
{
    cJSON *experiment;
    int rc = resolve_object(document, file);
    cJSON_ArrayForEach(experiment, cJSON_GetObjectItemCaseSensitive(document, "experiments"))
    {
        rc = rc < 0 ? rc : resolve_object(experiment, file);
    }
    return rc;
}

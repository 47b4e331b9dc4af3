/* host/spec/plan_paths.c */
#include "host/spec/plan_paths.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "host/spec/spec.h"

/* Keys of files to read. Runners are looked for in other folders first, and a policy may be no
 * file: so only those that are there beside the configuration are meant. `output_root` is written.
 */
static const char *const read_keys[] = {"model", "inputs", "expected", "data_path",
                                        "runner_libraries"};
static const char *const runner_keys[] = {"runner_path", "quiet_runner", "policy"};

enum kind { READ, RUNNER, WRITTEN };

static int resolve_text(cJSON *item, const char *file, enum kind kind)
{
    char path[SL_SPEC_MAX_PATH + 1];
    const char *text = cJSON_GetStringValue(item), *slash = strrchr(file, '/');
    if (!text || !*text || *text == '/' || !slash)
        return 0;
    int len = snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - file), file, text);
    if (len < 0 || (size_t)len >= sizeof(path))
        return 0; /* it is not found then */
    bool beside = access(path, F_OK) == 0;
    if (kind != WRITTEN && !beside && (kind == RUNNER || access(text, F_OK) == 0))
        return 0;
    return cJSON_SetValuestring(item, path) ? 0 : -ENOMEM;
}

/* A path, or a list of them. */
static int resolve(cJSON *object, const char *key, const char *file, enum kind kind)
{
    cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key), *item;
    int rc = resolve_text(value, file, kind);
    if (cJSON_IsArray(value)) {
        cJSON_ArrayForEach(item, value)
        {
            rc = rc < 0 ? rc : resolve_text(item, file, kind);
        }
    }
    return rc;
}

static int resolve_object(cJSON *object, const char *file)
{
    int rc = resolve(object, "output_root", file, WRITTEN);
    for (size_t i = 0; rc == 0 && i < sizeof(read_keys) / sizeof(read_keys[0]); i++)
        rc = resolve(object, read_keys[i], file, READ);
    for (size_t i = 0; rc == 0 && i < sizeof(runner_keys) / sizeof(runner_keys[0]); i++)
        rc = resolve(object, runner_keys[i], file, RUNNER);
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

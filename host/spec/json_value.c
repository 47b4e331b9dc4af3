/* host/spec/json_value.c */
#include "host/spec/json_value.h"

#include <cjson/cJSON.h>

#define MAX_WHOLE 9007199254740992.0 /* 2^53: above it a double skips numbers */

const struct cJSON *sl_value(const struct cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

const char *sl_value_text(const struct cJSON *object, const char *key, const char *otherwise)
{
    const cJSON *value = sl_value(object, key);
    return cJSON_IsString(value) ? value->valuestring : otherwise;
}

double sl_value_number(const struct cJSON *object, const char *key, double otherwise)
{
    const cJSON *value = sl_value(object, key);
    return cJSON_IsNumber(value) ? value->valuedouble : otherwise;
}

uint64_t sl_value_u64(const struct cJSON *object, const char *key)
{
    double value = sl_value_number(object, key, 0);
    return value >= 1 && value <= MAX_WHOLE ? (uint64_t)value : 0;
}

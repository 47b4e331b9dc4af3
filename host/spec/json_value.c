/* host/spec/json_value.c */
#include "host/spec/json_value.h"

#include <cjson/cJSON.h>

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
    return value >= 1 && value <= SL_JSON_MAX_WHOLE ? (uint64_t)value : 0;
}

/* host/report/json_copy.c */
#include "host/report/json_copy.h"

#include <math.h>

#include <cjson/cJSON.h>

#include "common/base/json.h"
#include "host/spec/json_value.h"

static void copy_children(struct sl_json *json, const cJSON *value)
{
    for (const cJSON *child = value->child; child; child = child->next)
        sl_json_copy(json, child->string, child);
}

void sl_json_copy(struct sl_json *json, const char *key, const struct cJSON *value)
{
    if (cJSON_IsBool(value)) {
        sl_json_bool(json, key, cJSON_IsTrue(value));
    } else if (cJSON_IsNumber(value) && floor(value->valuedouble) == value->valuedouble &&
               fabs(value->valuedouble) < SL_JSON_MAX_WHOLE) {
        sl_json_i64(json, key, (int64_t)value->valuedouble);
    } else if (cJSON_IsNumber(value)) {
        sl_json_f64(json, key, value->valuedouble);
    } else if (cJSON_IsString(value)) {
        sl_json_text(json, key, value->valuestring);
    } else if (cJSON_IsObject(value) && json->depth + 4 < SL_JSON_MAX_DEPTH) {
        sl_json_open_object(json, key);
        copy_children(json, value);
        sl_json_close_object(json);
    } else if (cJSON_IsArray(value) && json->depth + 4 < SL_JSON_MAX_DEPTH) {
        sl_json_open_array(json, key);
        copy_children(json, value);
        sl_json_close_array(json);
    } else {
        sl_json_null(json, key);
    }
}

/* host/report/json_copy.h: a parsed JSON value, written again. */
#pragma once

struct cJSON;
struct sl_json;

/* Writes `value` under `key`; NULL and what is nested too deeply become null. Whole numbers stay
 * whole up to 2^53. */
void sl_json_copy(struct sl_json *json, const char *key, const struct cJSON *value);

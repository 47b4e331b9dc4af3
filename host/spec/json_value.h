/* host/spec/json_value.h: values of a JSON record that may lack them. What is absent, of another
 * type or out of range counts as not there; where that is an error, host/spec/json_read.h says so.
 */
#pragma once

#include <stdint.h>

#define SL_JSON_MAX_WHOLE 9007199254740992.0 /* 2^53: all whole numbers up to it are doubles */

struct cJSON;

/* `object` may be NULL or no object; what is returned belongs to it. */
const struct cJSON *sl_value(const struct cJSON *object, const char *key); /* NULL: none */
const char *sl_value_text(const struct cJSON *object, const char *key, const char *otherwise);
double sl_value_number(const struct cJSON *object, const char *key, double otherwise);
uint64_t sl_value_u64(const struct cJSON *object, const char *key); /* up to 2^53; 0: none */

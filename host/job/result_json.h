/* host/job/result_json.h: how a run ended, for people and programs: result.json beside config.json.
 */
#pragma once

#include <stdint.h>

struct sl_json;
struct sl_link_result;

/* The word for an enum sl_link_outcome; "unknown" for any other. */
const char *sl_result_outcome_name(int outcome);

/* How one process ended, as a member. */
void sl_result_json_put(struct sl_json *json, const char *key, const struct sl_link_result *result);

/* `reference` is NULL when the portable kernels were not run. Durable when this returns; blocks. 0,
 * -ENOMEM, SL_E_LIMIT or the file's -errno. */
int sl_result_json_write(const char *directory, uint32_t attempt,
                         const struct sl_link_result *measured,
                         const struct sl_link_result *reference);

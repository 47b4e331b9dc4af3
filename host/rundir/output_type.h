/* host/rundir/output_type.h: what a program says of its outputs, and how run directories keep it.
 */
#pragma once

#include <stddef.h>

#include "host/analysis/agreement.h"

struct cJSON;
struct sl_json;
struct sl_pte_plan;

/* Describes the method's first `max` outputs. Returns how many it described. */
size_t sl_output_types_find(const struct sl_pte_plan *plan, struct sl_output_type *out, size_t max);

/* Members "quantised_values" and "step" of the open object, for what is quantised. */
void sl_output_type_put(struct sl_json *json, const struct sl_output_type *type);
/* Back from such an object; what is not there or no number is 0. */
struct sl_output_type sl_output_type_read(const struct cJSON *output, int scalar_type);

/* host/rundir/import_outputs.h: do two external runners compute the same? */
#pragma once

#include <stdbool.h>

struct cJSON;
struct sl_agreement;

/* Compares the files of outputs that import.json names for two runs of the directory, the first
 * being the reference. False where nothing was compared: a side has none, or they cannot be read.
 */
bool sl_import_outputs(const char *directory, const struct cJSON *baseline,
                       const struct cJSON *candidate, struct sl_agreement *out);

/* host/daemon/series_name.h: which series a run belongs to. Pure. */
#pragma once

#include <stdbool.h>

struct cJSON;
struct sl_run_record;
struct sl_spec;

/* Names the series of runs whose only difference is when they were, and the build: one model on one
 * device with the same inputs, measured the same way. A phone is the one that its agent's `probe`
 * says, in the state that noise floors belong to as well, whatever its name; any other device is
 * the one of record->device. The record has model and device already. */
void sl_series_name(const struct sl_spec *spec, const struct cJSON *probe, bool emulated,
                    struct sl_run_record *record);

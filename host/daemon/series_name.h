/* host/daemon/series_name.h: which series a run belongs to. Pure. */
#pragma once

#include "host/records.h"

struct cJSON;
struct sl_spec;

/* Names the series of runs that may be compared over time: one model on one device with the same
 * inputs, measured the same way, whatever the builds of kernels. A phone is the one that its
 * agent's `probe` says, whatever its name, in the state that noise floors belong to as well: an
 * update of its system or of the agent ends the series. A board elsewhere, which needs to be sent
 * its files, is the machine that its agent's `probe` says, in that state. Any other
 * device is the one of record->device. The record has model and device already. */
void sl_series_name(const struct sl_spec *spec, const struct cJSON *probe,
                    struct sl_device_traits traits, struct sl_run_record *record);

/* host/job/quarantine.h: which devices are out or reserved, kept from daemon to daemon: a file for
 * each, `quarantine/out-NAME` below the state directory, which has the reason. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host/records.h"

/* Takes it out for that reason, or brings it back (NULL); durable when it returns. 0 or a negative
 * code. */
int sl_quarantine_keep(const char *state_dir, const char *device, const char *reason);
/* A person has it until then (Unix time, ms; 0: no longer), kept the same way. */
int sl_reservation_keep(const char *state_dir, const char *device, uint64_t until_ms,
                        const char *who);
/* Until when; 0: it is nobody's. `out_who` is whose. */
uint64_t sl_reservation_kept(const char *state_dir, const char *device,
                             char out_who[SL_NAME_BYTES]);
/* Is it out? Then `out_reason` is why. */
bool sl_quarantine_kept(const char *state_dir, const char *device,
                        char out_reason[SL_DETAIL_BYTES]);

/* host/rundir/device_file.h: files that are kept for a device, by its fingerprint. */
#pragma once

#include "host/spec/policy_file.h"

struct sl_buf;
struct sl_diag;

/* Writes <state>/devices/<fingerprint>/<name> whole; out_path says where it is. 0 or a negative
 * code with `diag` set. */
int sl_device_file_keep(const char *state, const char *fingerprint, const char *name,
                        const struct sl_buf *text, char out_path[SL_PATH_BYTES],
                        struct sl_diag *diag);

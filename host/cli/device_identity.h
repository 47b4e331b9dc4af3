/* host/cli/device_identity.h: the fingerprint of a device, as its agent says it, and the files that
 * are kept for it. */
#pragma once

#include <stdbool.h>

#include "host/spec/policy_file.h"

struct sl_buf;
struct sl_diag;
struct sl_json;
struct sl_task_device;

struct sl_device_identity {
    char fingerprint[SL_FINGERPRINT_BYTES];
    char agent_version[32];
    char taken_utc[32]; /* now */
    bool emulated;
    bool apple; /* it runs macOS */
};

/* Asks the agent's probe. */
int sl_device_identity_read(struct sl_task_device *device, struct sl_device_identity *out,
                            struct sl_diag *diag);

/* The members that each of these files begins with, from "schema" to "svl". */
void sl_device_identity_put(const struct sl_device_identity *identity,
                            const struct sl_task_device *device, const char *schema,
                            unsigned svl_bits, struct sl_json *json);

/* Writes <state>/devices/<fingerprint>/<name> whole; out_path says where it is. */
int sl_device_identity_keep(const struct sl_device_identity *identity, const char *name,
                            const struct sl_buf *text, char out_path[SL_PATH_BYTES],
                            struct sl_diag *diag);

/* host/cli/device_identity.c */
#include "host/cli/device_identity.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "host/cli/kernels_measure.h"
#include "host/cli/task.h"
#include "host/rundir/device_file.h"
#include "host/spec/json_value.h"
#include "host/spec/paths.h"
#include "host/spec/spec.h"

int sl_device_identity_read(struct sl_task_device *device, struct sl_device_identity *out,
                            struct sl_diag *diag)
{
    cJSON *probe = NULL;
    time_t now = time(NULL);
    struct tm utc;
    int rc = sl_kernels_ask(device, SL_TASK_PROBE, &probe, diag);
    if (rc < 0)
        return rc;
    *out = (struct sl_device_identity){.emulated = device->traits.emulated};
    gmtime_r(&now, &utc);
    strftime(out->taken_utc, sizeof(out->taken_utc), "%Y-%m-%dT%H:%M:%SZ", &utc);
    snprintf(out->agent_version, sizeof(out->agent_version), "%.31s",
             sl_value_text(probe, "agent_version", ""));
    out->apple = strcmp(sl_value_text(sl_value(probe, "system"), "sysname", ""), "Darwin") == 0;
    rc = sl_device_fingerprint(sl_value_text(probe, "fingerprint", ""), out->emulated,
                               out->fingerprint);
    cJSON_Delete(probe);
    return rc < 0 ? sl_diag_set(diag, rc, "sme2lab-agent probe", "The device has no fingerprint")
                  : 0;
}

void sl_device_identity_put(const struct sl_device_identity *identity,
                            const struct sl_task_device *device, const char *schema,
                            unsigned svl_bits, struct sl_json *json)
{
    sl_json_text(json, "schema", schema);
    sl_json_text(json, "fingerprint", identity->fingerprint);
    sl_json_open_object(json, "device");
    sl_json_text(json, "kind", identity->emulated ? "emulated" : sl_device_kind_name(device->kind));
    sl_json_text(json, "cpu", identity->emulated ? device->cpu : NULL);
    sl_json_close_object(json);
    sl_json_text(json, "unit", device->traits.counted ? "instructions" : "ns");
    sl_json_text(json, "measured_at", identity->taken_utc);
    sl_json_text(json, "agent_version", identity->agent_version);
    sl_json_u64(json, "svl", svl_bits);
}

int sl_device_identity_keep(const struct sl_device_identity *identity, const char *name,
                            const struct sl_buf *text, char out_path[SL_PATH_BYTES],
                            struct sl_diag *diag)
{
    char state[SL_PATH_BYTES];
    int rc = sl_paths_state(state, diag);
    return rc < 0 ? rc
                  : sl_device_file_keep(state, identity->fingerprint, name, text, out_path, diag);
}

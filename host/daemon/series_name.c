/* host/daemon/series_name.c */
#include "host/daemon/series_name.h"

#include <stdio.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "host/records.h"
#include "host/spec/json_value.h"
#include "host/spec/policy_file.h"
#include "host/spec/spec.h"

enum { MAX_SERIES_BYTES = 16 << 10 };

static void name(const struct sl_spec *spec, const char *model_sha256, const char *device,
                 char out[SL_SERIES_BYTES])
{
    struct sl_buf text;
    char digest[SL_SHA256_HEX_SIZE];
    sl_buf_init(&text, MAX_SERIES_BYTES);
    int rc = sl_buf_printf(&text, "%s\n%s\n%u %u %u %d\n%s\n%s\n", model_sha256, device,
                           spec->threads[0], spec->sme_threads, spec->concurrency[0],
                           spec->mode == SL_MODE_CLEAN, spec->affinity,
                           spec->input_shapes ? spec->input_shapes : "");
    if (rc == 0 && spec->runtime[0] == SL_RUNTIME_EXECUTORCH)
        rc = sl_buf_printf(&text, "executorch\n"); /* own runs keep the series they have */
    if (rc == 0 && spec->svl[0] != 0)              /* not the device's own */
        rc = sl_buf_printf(&text, "svl %u\n", spec->svl[0]);
    for (size_t i = 0; rc == 0 && i < spec->inputs_count; i++)
        rc = sl_buf_printf(&text, "%s\n", spec->inputs_sha256[i]);
    if (rc == 0 && spec->policy_sha256) /* other kernels */
        rc = sl_buf_printf(&text, "policy %s\n", spec->policy_sha256);
    if (rc == 0) {
        sl_sha256_hex(text.data, text.size, digest);
        snprintf(out, SL_SERIES_BYTES, "%.16s", digest);
    }
    sl_buf_fini(&text);
}

void sl_series_name(const struct sl_spec *spec, const struct cJSON *probe,
                    struct sl_device_traits traits, struct sl_run_record *record)
{
    char fingerprint[SL_FINGERPRINT_BYTES], machine[SL_FINGERPRINT_BYTES + 24];
    const char *phone = sl_value_text(probe, "phone", "");
    const char *board = traits.needs_push ? sl_value_text(probe, "board_id", "") : "";
    const char *probed = sl_value_text(probe, "fingerprint", "");
    name(spec, record->model_sha256, record->device, record->series);
    if ((!phone[0] && !board[0]) || sl_device_fingerprint(probed, traits.emulated, fingerprint) < 0)
        return;
    snprintf(record->former_series, sizeof(record->former_series), "%s", record->series);
    /* A phone's fingerprint has its identity already, a board's is that of all of its kind. */
    snprintf(machine, sizeof(machine), "%s%s%.16s", fingerprint, phone[0] ? "" : " ",
             phone[0] ? "" : board);
    name(spec, record->model_sha256, machine, record->series);
}

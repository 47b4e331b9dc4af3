/* host/cli/peaks_file.c */
#include "host/cli/peaks_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "host/analysis/reach.h"
#include "host/cli/device_identity.h"
#include "host/cli/task.h"
#include "host/spec/json_value.h"
#include "host/spec/paths.h"

enum { MAX_BYTES = 4 << 20 };

static double number_of(const cJSON *row, const char *key)
{
    double value = sl_value_number(row, key, 0);
    return value > 0 && value < 1e18 ? value : 0;
}

/* "sl_peak_mopa_f32_sme2": what it multiplies stands between words. */
static void take_row(const cJSON *row, struct sl_reach_roof *roof)
{
    const char *name = sl_value_text(row, "peak", "");
    double macs = number_of(row, "multiply_adds_per_second");
    double *rate = strstr(name, "_bf16_")  ? &roof->macs_bf16
                   : strstr(name, "_f16_") ? &roof->macs_f16
                   : strstr(name, "_f32_") ? &roof->macs_f32
                   : strstr(name, "_s8_")  ? &roof->macs_s8
                                           : NULL;
    if (number_of(row, "workers") != 1)
        return;
    if (rate)
        *rate = fmax(*rate, macs);
    if (strstr(name, "_load") || strstr(name, "_store"))
        roof->bytes = fmax(roof->bytes, number_of(row, "bytes_per_second"));
}

bool sl_peaks_file_parse(struct sl_bytes text, struct sl_reach_roof *out)
{
    cJSON *file = cJSON_ParseWithLength((const char *)text.data, text.size);
    const cJSON *row, *rows = sl_value(file, "roofline");
    bool good =
        strcmp(sl_value_text(file, "schema", ""), "sme2lab.peaks/1") == 0 && cJSON_IsArray(rows);
    *out = (struct sl_reach_roof){.bytes = 0};
    cJSON_ArrayForEach(row, rows) take_row(row, out);
    cJSON_Delete(file);
    return good && (out->macs_f32 > 0 || out->bytes > 0);
}

bool sl_peaks_file_find(struct sl_task_device *device, struct sl_reach_roof *out, char *words,
                        size_t size)
{
    struct sl_device_identity identity;
    char state[SL_PATH_BYTES], path[SL_PATH_BYTES];
    struct sl_buf text;
    if (!device || device->traits.emulated) {
        snprintf(words, size, "%s",
                 device ? "none, an emulator has none" : "none, the device is not this machine");
        return false;
    }
    snprintf(words, size, "none stored, 'sme2lab kernels bench --peaks' measures it");
    if (sl_device_identity_read(device, &identity, NULL) < 0 || sl_paths_state(state, NULL) < 0 ||
        sl_device_file_path(state, identity.fingerprint, "peaks.json", path) < 0 ||
        sl_buf_read_file(path, MAX_BYTES, &text) < 0)
        return false;
    bool found = sl_peaks_file_parse((struct sl_bytes){text.data, text.size}, out);
    sl_buf_fini(&text);
    snprintf(words, size, found ? "of device %.40s, one worker" : "device %.40s has a damaged one",
             identity.fingerprint);
    return found;
}

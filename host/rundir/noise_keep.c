/* host/rundir/noise_keep.c */
#include "host/rundir/noise_keep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "host/analysis/cold.h"
#include "host/analysis/comparison.h"
#include "host/rundir/device_file.h"
#include "host/rundir/rundir.h"
#include "host/spec/json_value.h"
#include "host/spec/noise_file.h"

/* So many leave SL_COMPARISON_MIN_BLOCKS pairs even where all of them that may be cold are. */
enum { ENOUGH_RUNS = 2 * SL_COMPARISON_MIN_BLOCKS * SL_COLD_SHARE / (SL_COLD_SHARE - 1) };

/* Reads the first experiment: all of a directory ran on one device. */
static int identify(const char *directory, const char *experiment, char out[SL_FINGERPRINT_BYTES],
                    struct sl_diag *diag)
{
    struct sl_rundir run;
    bool times = false;
    int rc = sl_rundir_open(directory, experiment, &run, diag);
    if (rc < 0)
        return rc;
    bool emulated = sl_rundir_emulated(&run, &times);
    const char *unit = sl_value_text(run.manifest, "time_unit", NULL);
    const cJSON *device = sl_value(run.manifest, "device");
    const cJSON *probe = sl_value(device, "probe");
    const char *probed = sl_value_text(probe, "fingerprint", NULL);
    if (unit && strcmp(unit, "instructions") == 0) {
        sl_diag_hint(diag, "take a timed run");
        rc = sl_diag_set(diag, SL_E_UNSUPPORTED, directory,
                         "counted runs are exact: there is no noise to keep");
    } else if (!probed || sl_device_fingerprint(probed, emulated, out) < 0) {
        rc = sl_diag_set(diag, SL_E_NOT_FOUND, directory,
                         "the manifest does not say which device this is of");
    }
    sl_rundir_close(&run);
    return rc;
}

static void put_all(const char *fingerprint, double floor,
                    const struct sl_noise_calibration *calibrations, size_t count,
                    struct sl_json *json)
{
    char now_utc[32];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(now_utc, sizeof(now_utc), "%Y-%m-%dT%H:%M:%SZ", &utc);
    sl_json_open_object(json, NULL);
    sl_json_text(json, "schema", "sme2lab.noise/1");
    sl_json_text(json, "fingerprint", fingerprint);
    sl_json_text(json, "measured_at", now_utc);
    sl_json_f64(json, "noise_floor", floor);
    sl_json_open_array(json, "calibrations");
    for (size_t i = 0; i < count; i++) {
        sl_json_open_object(json, NULL);
        sl_json_text(json, "experiment", calibrations[i].experiment);
        sl_json_text(json, "variant", calibrations[i].on ? "on" : "off");
        sl_json_f64(json, "noise_floor", calibrations[i].floor);
        sl_json_u64(json, "pairs", calibrations[i].pairs);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
    sl_json_close_object(json);
}

int sl_noise_keep(const char *state, const char *directory,
                  const struct sl_noise_calibration *calibrations, size_t count, double *out_floor,
                  char *out_path, struct sl_diag *diag)
{
    char fingerprint[SL_FINGERPRINT_BYTES];
    struct sl_buf text;
    struct sl_json json;
    double floor = 0;
    int rc = identify(directory, calibrations[0].experiment[0] ? calibrations[0].experiment : NULL,
                      fingerprint, diag);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < count; i++) {
        if (calibrations[i].pairs < SL_COMPARISON_MIN_BLOCKS) {
            sl_diag_hint(diag, "%d runs are enough: one in %d may be set aside as cold",
                         ENOUGH_RUNS, SL_COLD_SHARE);
            return sl_diag_set(
                diag, SL_E_UNSUPPORTED, directory,
                "%zu pairs of equal warm runs tell no noise floor; at least %d are needed",
                calibrations[i].pairs, SL_COMPARISON_MIN_BLOCKS);
        }
        floor = fmax(floor, calibrations[i].floor);
    }
    if (floor > SL_NOISE_MAX_FLOOR)
        return sl_diag_set(diag, SL_E_NOT_FOUND, directory,
                           "equal runs differ by %.0f %%: calibrate a device that is quiet",
                           100 * floor);
    if (!(floor > 0))
        return sl_diag_set(diag, SL_E_NOT_FOUND, directory, "no noise floor was found to keep");
    sl_buf_init(&text, 1 << 20);
    sl_json_init(&json, &text);
    put_all(fingerprint, floor, calibrations, count, &json);
    rc = json.error ? json.error
                    : sl_device_file_keep(state, fingerprint, "noise.json", &text, out_path, diag);
    sl_buf_fini(&text);
    *out_floor = floor;
    return rc;
}

/* host/rundir/manifest.h: manifest.json: what ran, in which order, with the hashes of all that went
 * in. One table says what may stand in it. */
#pragma once

#include "common/base/digest.h"

struct cJSON;
struct sl_analysis;
struct sl_diag;
struct sl_json;
struct sl_run;
struct sl_trace;

/* What the computed members follow from: the trace, and the analyses of the ETDumps, off and on. */
struct sl_manifest_source {
    const struct sl_trace *trace;
    const struct sl_analysis *analyses[2];
};

/* Writes a manifest. Members that were recorded (paths, hashes, versions, labels) are taken from
 * `recorded` where they have their form, else null stands there. All others are computed. Members
 * that are not in the table are left out. So a manifest is right if it comes out as it went in.
 * Errors stick in `json`. */
void sl_manifest_put(struct sl_json *json, const struct cJSON *recorded,
                     const struct sl_manifest_source *source);

/* Writes the run's manifest into its directory, and gives the file's hash. 0 or a negative code
 * with `diag` set. */
int sl_manifest_write(const struct sl_run *run, const struct sl_manifest_source *source,
                      char out_sha256[SL_SHA256_HEX_SIZE], struct sl_diag *diag);

/* host/rundir/manifest.h: manifest.json: what ran, in which order, with the hashes of all that went
 * in. One table says what may stand in it. */
#pragma once

struct cJSON;
struct sl_analysis;
struct sl_json;
struct sl_plugin_file;
struct sl_trace;

/* The sources of the computed members: the trace, the analyses of the ETDumps, off and on, and what
 * plug-ins said; NULL: nothing. */
struct sl_manifest_source {
    const struct sl_trace *trace;
    const struct sl_analysis *analyses[2];
    const struct sl_plugin_file *plugins;
};

/* Writes a manifest. Members that were recorded (paths, hashes, versions, labels) are taken from
 * `recorded` where they have their form, else null stands there. All others are computed. Members
 * that are not in the table are left out. So a manifest is right if it comes out as it went in.
 * Errors stick in `json`. */
void sl_manifest_put(struct sl_json *json, const struct cJSON *recorded,
                     const struct sl_manifest_source *source);

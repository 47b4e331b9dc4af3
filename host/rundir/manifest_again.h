/* host/rundir/manifest_again.h: the manifest of a run directory as its other files have it. */
#pragma once

struct sl_compared;
struct sl_json;

/* Writes every member that a manifest may have. What follows from traces, ETDumps, logs and the
 * other members is computed; what was only recorded (paths, hashes, versions, labels) is taken over
 * where it has the form that a run gives it, else null stands there. `compared` is both variants of
 * the directory; `name` its file, "manifest.json". So a manifest that is not equal to this was not
 * written by this run. Errors stick in `json`. */
void sl_manifest_again(struct sl_json *json, const struct sl_compared *compared);

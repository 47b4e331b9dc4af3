/* host/rundir/recompute.h: everything of a run directory that can be computed from what was
 * recorded, computed and written anew: summaries, the kit's files, reports. Nothing is measured. */
#pragma once

struct sl_categories;
struct sl_diag;

/* All experiments of the directory. Traces, ETDumps, outputs, logs and manifests
 * stay as they are. *out_exit: what the gravest verdict means to a script; slow-downs up to
 * `threshold_percent` are none. Returns 0 or a negative code with `diag` set. */
int sl_rundir_recompute(const char *path, const struct sl_categories *categories,
                        double threshold_percent, int *out_exit, struct sl_diag *diag);

/* host/rundir/summary.h: analysis_summary.json: the result of a run. */
#pragma once

#include "common/base/digest.h"
#include "host/rundir/rundir.h"

struct sl_agreement;
struct sl_buf;
struct sl_compared;
struct sl_diag;
struct sl_json;

struct sl_summary {
    struct sl_compared *compared; /* off and on of a run directory */
    double threshold_percent;     /* slow-downs up to it are no regression; NAN: not known */
    const char *shown_dir;        /* how the directory is called in it */
    const char *manifest_sha256;
    const struct sl_agreement *agreements[SL_RUNDIR_AGREEMENTS]; /* NULL: not known */
};

/* Writes all of it. 0 or a negative code. */
int sl_summary_put(struct sl_json *json, const struct sl_summary *summary);

/* Writes the file into the directory. 0 or a negative code with `diag` set. */
int sl_summary_write(const struct sl_summary *summary, struct sl_diag *diag);

/* How a file of the directory is read: 0 or a negative code; `out` is the caller's to end. */
typedef int (*sl_summary_read_fn)(void *user, const char *name, struct sl_buf *out);

/* Compares the outputs of two variants that the manifest names. `pair` as in
 * sl_rundir_agreement(). 0, SL_SUMMARY_NOT_RECORDED (the run has no outputs of that kind) or what
 * `read` returned. */
enum { SL_SUMMARY_NOT_RECORDED = 1 };
int sl_summary_compare_outputs(const struct sl_rundir *directory, int pair, sl_summary_read_fn read,
                               void *user, struct sl_agreement *out);

/* host/cli/submit_request.h: what `submit` sends: one job for each experiment of a configuration.
 */
#pragma once

#include <stddef.h>

#include "common/base/digest.h"
#include "host/config/experiment.h"

struct sl_buf;
struct sl_diag;

enum { SL_SUBMIT_DEVICE_BYTES = 256 };

struct sl_submit_plan {
    struct sl_experiment_plan plan;
    char device[SL_SUBMIT_DEVICE_BYTES]; /* "": any. A device's name, or a kind */
    int priority;
    unsigned svl; /* 0: not said. It chooses among devices */
};

/* A configuration (its name ends in .json) or a bare model. `device` and `priority` belong to the
 * lab, so they are taken out before the experiment is read. 0 or a code with `diag` set; on success
 * end `out` with sl_submit_plan_fini(). */
int sl_submit_plan_load(const char *target, struct sl_submit_plan *out, struct sl_diag *diag);
void sl_submit_plan_fini(struct sl_submit_plan *plan);

/* Appends the body of POST /jobs for one experiment, as host/config/submission.h reads it: the
 * files as SHA-256 of blobs, with an entry of `inputs_sha256` for each input. 0, SL_E_LIMIT or
 * -ENOMEM. */
int sl_submit_body(const struct sl_submit_plan *plan, size_t experiment, const char *model_sha256,
                   char (*inputs_sha256)[SL_SHA256_HEX_SIZE], struct sl_buf *out);

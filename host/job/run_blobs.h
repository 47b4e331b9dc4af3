/* host/job/run_blobs.h: which files a run needs on its device, by their hashes. Pure. */
#pragma once

#include <stddef.h>

#include "host/device/blob_put.h"

struct sl_runtime_files;
struct sl_spec;

/* Each once. Texts are borrowed. */
struct sl_job_run_blobs {
    const char *names[SL_BLOB_PUT_MAX];
    size_t count;
};

/* Those of a dynamic runtime, of the run and of its plan; files that only the host compares with
 * are left out. 0 or SL_E_FORMAT: they are too many. */
int sl_job_run_blobs_list(struct sl_spec *spec, const struct sl_runtime_files *runtime,
                          struct sl_job_run_blobs *out);

/* host/job/run_blobs.c */
#include "host/job/run_blobs.h"

#include <string.h>

#include "common/base/error.h"
#include "host/device/runtime_files.h"
#include "host/spec/param.h"
#include "host/spec/plan.h"
#include "host/spec/spec.h"

static int add(void *user, const struct sl_param *param, const char *path, const char **sha256)
{
    struct sl_job_run_blobs *blobs = user;
    (void)path;
    if (param->own || !*sha256)
        return 0;
    for (size_t i = 0; i < blobs->count; i++)
        if (strcmp(blobs->names[i], *sha256) == 0)
            return 0;
    if (blobs->count == SL_BLOB_PUT_MAX)
        return SL_E_FORMAT;
    blobs->names[blobs->count++] = *sha256;
    return 0;
}

int sl_job_run_blobs_list(struct sl_spec *spec, const struct sl_runtime_files *runtime,
                          struct sl_job_run_blobs *out)
{
    out->count = 0;
    for (size_t i = 0; i < runtime->count; i++)
        out->names[out->count++] = runtime->sha256[i];
    int rc = sl_params_each_file(spec, add, out);
    return rc == 0 && spec->plan ? sl_plan_each_file(spec->plan, add, out) : rc;
}

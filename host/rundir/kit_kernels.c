/* host/rundir/kit_kernels.c */
#include "host/rundir/kit_kernels.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/report/analysis.h"

enum { MAX_LOG_BYTES = 1 << 30 };

static bool has_kernel(const struct sl_kernel_log *log, const char *name)
{
    for (size_t i = 0; i < log->count; i++)
        if (strcmp(log->kernels[i].name, name) == 0)
            return true;
    return false;
}

static int take_executed(const struct sl_attribution *a, struct sl_armkit_kernels *out)
{
    out->log.kernels = sl_calloc(SL_KERNEL_LOG_MAX, sizeof(*out->log.kernels));
    if (!out->log.kernels)
        return -ENOMEM;
    out->executed = true;
    for (size_t i = 0; i < a->operator_count && out->log.count < SL_KERNEL_LOG_MAX; i++) {
        const struct sl_operator *op = &a->operators[i];
        if (!op->kernel || has_kernel(&out->log, op->kernel))
            continue;
        struct sl_logged_kernel *kernel = &out->log.kernels[out->log.count++];
        snprintf(kernel->name, sizeof(kernel->name), "%s", op->kernel);
        snprintf(kernel->category, sizeof(kernel->category), "%s", sl_category_name(op->category));
        kernel->portable = !op->delegated;
        sl_kernel_name_parse(kernel->name, strlen(kernel->name), &kernel->parts);
    }
    return 0;
}

int sl_armkit_kernels_read(const struct sl_analysis *analysis, const char *log_path,
                           struct sl_armkit_kernels *out, struct sl_diag *diag)
{
    struct sl_buf bytes;
    *out = (struct sl_armkit_kernels){.some = false};
    int rc = 0;
    if (analysis->attribution.traced) {
        rc = take_executed(&analysis->attribution, out);
    } else if (log_path) {
        rc = sl_buf_read_file(log_path, MAX_LOG_BYTES, &bytes);
        if (rc < 0)
            return sl_diag_set(diag, rc, log_path, "the log cannot be read: %s", sl_strerror(rc));
        rc = sl_kernel_log_parse((struct sl_bytes){bytes.data, bytes.size}, &out->log, NULL);
        sl_buf_fini(&bytes);
        rc = rc == SL_E_NOT_FOUND ? 0 : rc;
    }
    out->some = rc == 0 && out->log.count > 0;
    return rc < 0 ? sl_diag_set(diag, rc, log_path, "%s", sl_strerror(rc)) : 0;
}

void sl_armkit_kernels_fini(struct sl_armkit_kernels *kernels)
{
    sl_kernel_log_fini(&kernels->log);
}

int sl_armkit_kernels_view(struct sl_buf *out, const struct sl_armkit_kernels *on,
                           const struct sl_armkit_kernels *off)
{
    return sl_kernel_log_view(out, &on->log, &off->log, on->executed && off->executed);
}

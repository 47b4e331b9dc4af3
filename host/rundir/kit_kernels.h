/* host/rundir/kit_kernels.h: the kernels of a run as users of Arm's profiling kit look for
 * them: those that its own trace says were executed, else those that an XNNPACK log beside its
 * ETDump names. */
#pragma once

#include <stdbool.h>

#include "host/report/kernel_log.h"

struct sl_analysis;
struct sl_buf;
struct sl_diag;

struct sl_armkit_kernels {
    struct sl_kernel_log log;
    bool some, executed; /* some: there are any; executed: by the run's trace */
};

/* `log_path` NULL: there is no log. A log that names no kernel is none. Returns 0 or a negative
 * code with `diag` set; end with sl_armkit_kernels_fini(). */
int sl_armkit_kernels_read(const struct sl_analysis *analysis, const char *log_path,
                           struct sl_armkit_kernels *out, struct sl_diag *diag);
void sl_armkit_kernels_fini(struct sl_armkit_kernels *kernels);

/* AF-44 of a pair: which kernels either side has. 0, SL_E_LIMIT or -ENOMEM. */
int sl_armkit_kernels_view(struct sl_buf *out, const struct sl_armkit_kernels *on,
                           const struct sl_armkit_kernels *off);

/* host/cli/kernel_reach.h: our best kernel for each operator of a run, measured on demand on the
 * device that the run is of, and that device's stored roofline. */
#pragma once

#include "host/analysis/reach.h"
#include "host/report/reach_report.h"

struct sl_diag;
struct sl_etdump_file;

enum { SL_KERNEL_REACH_MAX_SHAPES = 2048 };

/* All zeros at first; end with sl_kernel_reach_fini() in any case. */
struct sl_kernel_reach {
    struct sl_reach reach;
    struct sl_reach_bench *benches; /* owned */
    size_t bench_count;
    struct sl_reach_report report; /* of the above */
};

/* Measures for the run `file` is of. `rows_path`: what `sme2lab-agent kernels --bench` printed on
 * its device, or NULL: measured here, in the emulator where this machine is no such device. The
 * result borrows from `file`. */
int sl_kernel_reach_measure(const struct sl_etdump_file *file, const char *rows_path,
                            struct sl_kernel_reach *out, struct sl_diag *diag);
void sl_kernel_reach_fini(struct sl_kernel_reach *reach);

/* host/cli/kernel_reach.h: our best kernel for each operator of a run, measured on demand on the
 * device that the run is of, and that device's stored roofline. */
#pragma once

#include "host/analysis/reach.h"
#include "host/report/reach_report.h"

struct sl_cli;
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

struct sl_kernel_reach_wish {
    const struct sl_cli *cli;
    const char *rows_path; /* what `sme2lab-agent kernels --bench` printed on the run's device */
    const char *device;    /* where to measure (task.h) */
};

/* Measures for the run `file` is of. With neither rows nor device: here, in the emulator where this
 * machine is no such device. A device out of reach is no failure: the report says why nothing was
 * measured. The result borrows from `file`. */
int sl_kernel_reach_measure(const struct sl_etdump_file *file,
                            const struct sl_kernel_reach_wish *wish, struct sl_kernel_reach *out,
                            struct sl_diag *diag);
void sl_kernel_reach_fini(struct sl_kernel_reach *reach);

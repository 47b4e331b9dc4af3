/* host/rundir/etdump_file.h: an ETDump, opened from a path, with its trace and its analysis. */
#pragma once

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/format/etdump.h"
#include "host/report/analysis.h"
#include "host/rundir/import.h"
#include "host/rundir/trace_beside.h"

struct sl_categories;
struct sl_diag;
struct sl_origin_plan;

struct sl_etdump_file {
    struct sl_buf bytes;
    struct sl_etdump etdump;
    struct sl_trace_file trace; /* if `traced` */
    struct sl_analysis analysis;
    struct sl_import_said said; /* where import.json tells, and there is no trace */
    struct sl_etdump_loss loss; /* of a damaged file that was salvaged */
    bool traced;
};

/* The file to open; everything in it is borrowed and must outlive the file. */
struct sl_etdump_request {
    const char *path;
    const char *trace_path; /* NULL: one is looked for beside the file */
    const struct sl_categories *categories;
    int64_t only_run;                  /* or -1 */
    bool salvage;                      /* of a damaged file, take what can be read */
    const struct sl_origin_plan *plan; /* of the model, for files without a trace; or NULL */
    const uint32_t *cold; /* leading runs, or NULL: as import.json says, or found (attribution.h) */
};

/* Opens with the one of two plans (plans[0]: SME2 off, plans[1]: on) that fits the file better. */
int sl_etdump_file_open_planned(const struct sl_etdump_request *request,
                                const struct sl_origin_plan *plans, struct sl_etdump_file *file,
                                struct sl_diag *diag);

/* Opens into `file`, which must stay where it is. Returns 0 or a negative code with `diag` naming
 * the file. End with sl_etdump_file_close(). */
int sl_etdump_file_open(const struct sl_etdump_request *request, struct sl_etdump_file *file,
                        struct sl_diag *diag);

/* Sets the same pairs aside as cold in both files of one recording, so that both sides' figures are
 * of the same moments: the side with fewer is analysed anew. */
int sl_etdump_files_align(struct sl_etdump_file *const files[2], struct sl_diag *diag);
void sl_etdump_file_close(struct sl_etdump_file *file);

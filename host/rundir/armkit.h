/* host/rundir/armkit.h: the files that users of Arm's profiling kit look for in a run
 * directory, all of them functions of its manifests and ETDumps: what a run writes and what
 * `validate` recomputes are the same bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buf.h"

struct sl_categories;
struct sl_analysis;
struct sl_diag;
struct sl_json;

enum { SL_ARMKIT_NAME_BYTES = 320 };

/* A file by its name relative to the directory. */
struct sl_armkit_output {
    char name[SL_ARMKIT_NAME_BYTES];
    struct sl_buf text;
};

struct sl_armkit_outputs {
    struct sl_armkit_output *files; /* owned */
    size_t count, capacity;
};

/* Makes the files of every experiment of the directory, or of every run of an imported one: beside
 * each ETDump those of sl_kit_files[]; of each pair A_vs_B_robust_comparison.json and
 * A_vs_B_comparison.csv, and of the first
 * kernel_view_gemm.md (of others A_vs_B_kernel_view_gemm.md) where its kernels are known; of all
 * together MODEL_pipeline_summary.json and .md and metrics.json, and of an import
 * analysis_summary.json. Returns 0 or a negative code with
 * `diag` set. End `out`, all zero at first, with sl_armkit_outputs_fini() in any case. */
int sl_armkit_make(const char *path, const struct sl_categories *categories,
                   struct sl_armkit_outputs *out, struct sl_diag *diag);
void sl_armkit_outputs_fini(struct sl_armkit_outputs *outputs);

/* The same, written into the directory. */
int sl_armkit_write(const char *path, const struct sl_categories *categories, struct sl_diag *diag);

/* AF-42, its members of analysis_summary.json, of SME2 off and on. */
struct sl_armkit_named {
    const struct sl_analysis *analysis;
    const char *experiment, *etdump; /* relative to the directory */
};
int sl_armkit_summary(struct sl_json *json, const struct sl_armkit_named named[2]);

/* AF-48: member metrics of a result, as in metrics.json; `log` relative to the directory. */
void sl_armkit_metrics(struct sl_json *json, const struct sl_armkit_named *named, double threads,
                       const char *log);

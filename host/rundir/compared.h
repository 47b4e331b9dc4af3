/* host/rundir/compared.h: two sides opened, each an ETDump or a variant of a run directory, and
 * their comparison with all that speaks against it. */
#pragma once

#include <stdbool.h>

#include "host/analysis/agreement.h"
#include "host/analysis/comparison.h"
#include "host/analysis/divergence.h"
#include "host/report/comparison.h"
#include "host/report/kernel_log.h"
#include "host/report/runtime_outputs.h"
#include "host/rundir/etdump_file.h"
#include "host/rundir/rundir.h"

struct sl_categories;
struct sl_diag;
struct sl_origin_plan;

struct sl_compared_side {
    char path[SL_RUNDIR_PATH_BYTES]; /* of the ETDump */
    struct sl_etdump_file file;
    struct sl_rundir directory;
    struct sl_conditions conditions;
    struct sl_analysis_reading readings[SL_ANALYSIS_MAX_READINGS]; /* of the directory */
    char process[16]; /* which of those that repeat the experiment; "": there is one */
    bool opened, has_directory;
    int level; /* of a run directory: 0 off, 1 on */
};

/* A pair of an import, which has no manifest. */
struct sl_compared_import {
    char model[256], generated_at[40];
    char names[2][96];  /* of the experiments: baseline, candidate */
    char label[96];     /* of the pair; "": it has none */
    char threads[16];   /* "": not known */
    bool emulated;      /* its times are of an emulated CPU */
    bool interleaved;   /* the rounds of both sides ran next to each other */
    bool has_agreement; /* the runners wrote their outputs, and these were compared */
    struct sl_agreement agreement;
};

struct sl_compared {
    struct sl_compared_side sides[2]; /* baseline, candidate */
    struct sl_comparison comparison;
    struct sl_agreement agreement, worst;
    struct sl_agreement portable[2]; /* of each side with the portable kernels, if it `has` one */
    bool has_portable[2];
    struct sl_divergence diverged[2];  /* of both levels of one run whose outputs are wrong */
    struct sl_runtime_outputs outputs; /* of ExecuTorch's run, if its report has them */
    struct sl_kernel_log log;          /* XNNPACK's, of the candidate's run */
    bool has_log;
    const struct sl_origin_plan *plans; /* of the model, off and on, for files without a trace;
                                           borrowed; NULL: none */
    char title[256];                    /* what people call the model */
    const uint32_t *cold; /* so many leading runs of both sides are cold; NULL: they are found */
    double noise_floor;   /* of the device, for sl_compared_directory(); 0: not known */
    struct sl_comparison_report report; /* of the above */
    bool compared;
    struct sl_compared_import import; /* names are "" for a run directory of our own */
};

/* The source of a side. */
struct sl_compared_source {
    const char *path;       /* an ETDump or a run directory */
    const char *experiment; /* of several in the directory, or NULL */
    int level;              /* the variant of a directory: 0 off, 1 on */
};

/* Opens one side of a `compared` that was all zero at first and stays where it is. End with
 * sl_compared_close(), whatever was opened. 0 or a negative code with `diag` set. */
int sl_compared_open(struct sl_compared *compared, int side,
                     const struct sl_compared_source *source,
                     const struct sl_categories *categories, struct sl_diag *diag);

/* Reads XNNPACK's log of the candidate's run: the file of that name, or, with NULL, the one beside
 * its ETDump (STEM_xnntrace.log, STEM.xnntrace.log, STEM_latency.log) if it names kernels. */
int sl_compared_read_log(struct sl_compared *compared, const char *path, struct sl_diag *diag);

/* Compares both. `factor` (enum sl_condition) is what was varied on purpose; -2: find out. The
 * options' agreement and `separate` are found here. Fills comparison and report. */
enum { SL_COMPARED_FIND_FACTOR = -2 };
int sl_compared_make(struct sl_compared *compared, int factor,
                     const struct sl_comparison_options *options, struct sl_diag *diag);
void sl_compared_close(struct sl_compared *compared);

/* Off and on of one run directory, compared as the run itself did it. */
int sl_compared_directory(struct sl_compared *compared, const char *path, const char *experiment,
                          const struct sl_categories *categories, struct sl_diag *diag);

/* The two steps of it, for a run that has no summary yet: the outputs' agreements go into both
 * directories in between. */
int sl_compared_open_directory(struct sl_compared *compared, const char *path,
                               const char *experiment, const struct sl_categories *categories,
                               struct sl_diag *diag);
int sl_compared_make_directory(struct sl_compared *compared, double confidence,
                               struct sl_diag *diag);

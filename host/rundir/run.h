/* host/rundir/run.h: one experiment, from what was recorded to verdict and files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/format/sltrace.h"
#include "host/analysis/agreement.h"
#include "host/analysis/comparison.h"
#include "host/report/analysis.h"

struct cJSON;
struct sl_categories;
struct sl_count_log;
struct sl_device;
struct sl_diag;
struct sl_experiment;
struct sl_experiment_plan;
struct sl_json;

enum { SL_RUN_OFF, SL_RUN_ON, SL_RUN_VARIANTS };
enum { SL_RUN_PATH_BYTES = 1024, SL_RUN_MAX_OUTPUTS = 64, SL_RUN_STEM_BYTES = 80 };

struct sl_run {
    /* What was asked for: borrowed. */
    const struct sl_experiment_plan *plan;
    const struct sl_experiment *experiment;
    const struct sl_device *device;
    const struct sl_categories *categories;
    const char *command; /* what the manifest says how it was asked for */
    /* How the files are called in what is written about them, where that is not as they lie here;
     * NULL: as they do. `shown_inputs` has an entry for each input. */
    const char *shown_model, *shown_data, *shown_dir;
    const char *const *shown_inputs;
    bool shares_directory; /* with other experiments: manifest_NAME.json and so on */

    /* Where things go. */
    char stem[SL_RUN_STEM_BYTES];     /* of the model's file name, unless it was set before */
    char out_dir[SL_RUN_PATH_BYTES];  /* made */
    char raw_base[SL_RUN_PATH_BYTES]; /* of traces, logs and outputs: no suffix */
    char started_utc[32];

    /* What came back: owned, released by sl_run_fini(). */
    struct sl_buf model; /* the file's bytes */
    char model_sha256[SL_SHA256_HEX_SIZE], agent_sha256[SL_SHA256_HEX_SIZE];
    char data_sha256[SL_SHA256_HEX_SIZE]; /* of the external weights; "": none */
    int output_types[SL_RUN_MAX_OUTPUTS]; /* enum sl_scalar_type, -1 for what is no tensor */
    size_t output_count;
    struct sl_count_log *log;             /* of a counted device */
    struct sl_buf raw_trace, trace_bytes; /* as recorded, as written (resolved) */
    struct sl_trace trace;
    bool has_trace;
    struct cJSON *load; /* what the processes beside the measured one did; NULL: it was alone */
    struct cJSON *agent_report, *probe; /* what the agent printed; NULL when it did not */
    struct cJSON
        *policy; /* the device's own table of what runs in streaming mode; NULL: it has none */
    double noise_floor; /* of the device, as it was kept when the run ended; NAN or 0: none */
    uint64_t wall_ns;
    struct {
        char experiment[96];          /* "<name>_sme2-off" */
        char base[SL_RUN_PATH_BYTES]; /* of its files: no suffix */
        char etdump_path[SL_RUN_PATH_BYTES], shown_path[SL_RUN_PATH_BYTES];
        struct sl_buf etdump_bytes;
        struct sl_etdump etdump; /* of those bytes */
        struct sl_analysis analysis;
        bool parsed, analysed;
    } variants[SL_RUN_VARIANTS];
    struct sl_agreement off_on, off_portable, on_portable; /* the second is the reference */
    struct sl_comparison comparison;
    bool compared;
};

/* Names of variants: "off", "on". */
extern const char *const sl_run_variant_names[SL_RUN_VARIANTS];

/* run_files.c: reads and checks the model, makes the directories, names the files. */
int sl_run_prepare(struct sl_run *run, struct sl_diag *diag);
void sl_run_fini(struct sl_run *run);
/* Path of output `i` of "sme2-off", "sme2-on" or "portable". */
void sl_run_output_path(const struct sl_run *run, const char *variant, size_t i,
                        char out[SL_RUN_PATH_BYTES]);

/* run_results.c: trace, ETDumps and analyses out of what was recorded. */
int sl_run_results(struct sl_run *run, struct sl_diag *diag);

/* run_agreement.c: compares the outputs of off, on and portable. */
int sl_run_agreement(struct sl_run *run, struct sl_diag *diag);

/* run_verdict.c: compares off with on; all that speaks against a ratio is a verdict. */
int sl_run_judge(struct sl_run *run, struct sl_diag *diag);
/* The rule that ends the measuring; false: a number of runs does. */
bool sl_run_rule(const struct sl_run *run, struct sl_stopping_rule *out);
/* The exit code that the verdict means to a script: 0, 1 (wrong), 3 (slower beyond the plan's
 * threshold) or 4. */
int sl_run_exit_code(const struct sl_run *run);

/* run_manifest.c: manifest.json: what ran, in which order, with the hashes of all that went in. */
int sl_run_manifest(const struct sl_run *run, struct sl_diag *diag);

/* run_log.c: appends the kit's block of figures to the log, one for each variant (AF-46). */
int sl_run_log(const struct sl_run *run, struct sl_diag *diag);

/* run_summary.c: the result as JSON (what --json prints), and as analysis_summary.json; what both
 * say of the two variants together. */
int sl_run_json(const struct sl_run *run, struct sl_json *json);
int sl_run_summary(const struct sl_run *run, struct sl_diag *diag);
struct sl_comparison_report sl_run_comparison_report(const struct sl_run *run);

/* `path` of a file below the run's directory as it is shown. Returns `out`. */
const char *sl_run_shown(const struct sl_run *run, const char *path, char out[SL_RUN_PATH_BYTES]);
/* "_NAME" in the names of files of one experiment among several, else "". Returns `out`. */
enum { SL_RUN_SUFFIX_BYTES = 72 };
const char *sl_run_suffix(const struct sl_run *run, char out[SL_RUN_SUFFIX_BYTES]);

/* mkdir -p. 0 or the directory's -errno with `diag` set. */
int sl_run_make_directories(const char *path, struct sl_diag *diag);

/* Writes text to `path`; `diag` names it on failure. */
int sl_run_write(const char *path, const struct sl_buf *text, struct sl_diag *diag);

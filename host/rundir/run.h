/* host/rundir/run.h: one experiment, from what was recorded to a finished run directory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "host/analysis/agreement.h"
#include "host/rundir/rundir.h"

struct cJSON;
struct sl_categories;
struct sl_compared;
struct sl_count_log;
struct sl_device;
struct sl_diag;
struct sl_spec;

enum { SL_RUNDIR_OFF, SL_RUNDIR_ON, SL_RUNDIR_VARIANTS };
enum { SL_RUNDIR_MAX_OUTPUTS = 64, SL_RUNDIR_STEM_BYTES = 80 };

struct sl_rundir_run {
    /* The request: borrowed. */
    const struct sl_spec *spec; /* its paths are those of files here */
    const struct sl_device *device;
    const struct sl_categories *categories;
    const char *command; /* what the manifest says how it was asked for */
    /* How the files are called in what is written about them, where that is not as they lie here;
     * NULL: as they do. `shown_inputs` has an entry for each input. */
    const char *shown_model, *shown_data, *shown_dir;
    const char *const *shown_inputs;
    bool shares_directory; /* with other experiments: manifest_NAME.json and so on */

    /* The paths of the run. */
    char stem[SL_RUNDIR_STEM_BYTES];     /* of the model's file name, unless it was set before */
    char out_dir[SL_RUNDIR_PATH_BYTES];  /* made */
    char raw_base[SL_RUNDIR_PATH_BYTES]; /* of traces, logs and outputs: no suffix */
    char started_utc[32];
    struct {
        char experiment[96]; /* "<name>_sme2-off" */
        char etdump_path[SL_RUNDIR_PATH_BYTES];
    } variants[SL_RUNDIR_VARIANTS];

    /* The result: owned, released by sl_rundir_run_fini(). */
    struct sl_buf model; /* the file's bytes */
    char model_sha256[SL_SHA256_HEX_SIZE], agent_sha256[SL_SHA256_HEX_SIZE];
    char data_sha256[SL_SHA256_HEX_SIZE]; /* of the external weights; "": none */
    struct sl_output_type output_types[SL_RUNDIR_MAX_OUTPUTS];
    size_t output_count;
    struct sl_count_log *log; /* of a counted device */
    struct sl_buf raw_trace;  /* of a counted run, as recorded */
    struct cJSON *load;       /* what the processes beside the measured one did, or NULL */
    struct cJSON *operators;  /* as far as they are from the portable kernels', or NULL */
    struct cJSON *agent_report, *probe; /* what the agent printed; NULL when it did not */
    struct cJSON *policy; /* the device's table of what runs in streaming mode, or NULL */
    double noise_floor;   /* of the device, as it was kept when the run ended; NAN or 0: none */
    uint64_t wall_ns;
    struct sl_compared *compared; /* off and on, of sl_rundir_finish() */
};

/* Reads and checks the model, makes the directories, names the files. */
int sl_rundir_prepare(struct sl_rundir_run *run, struct sl_diag *diag);
void sl_rundir_run_fini(struct sl_rundir_run *run);

/* Path of output `i` of "sme2-off", "sme2-on" or "portable". */
/* The file of what an output should be; NULL: nothing was said of it. */
const char *sl_rundir_expected(const struct sl_rundir_run *run, size_t output);
void sl_rundir_output_path(const struct sl_rundir_run *run, const char *variant, size_t i,
                           char out[SL_RUNDIR_PATH_BYTES]);

/* Makes of the trace and what else was recorded the ETDumps and, last, the manifest: from then on
 * all else follows from the directory. 0 or a negative code with `diag` set. */
int sl_rundir_record(struct sl_rundir_run *run, struct sl_diag *diag);

/* Did that come to its end, perhaps in a process that was killed after it? */
bool sl_rundir_is_recorded(const char *directory);

/* Makes the other files of a recorded run: summary, the log's figures, the kit's files, the report.
 * 0 or a negative code with `diag` set. */
int sl_rundir_finish(struct sl_rundir_run *run, struct sl_diag *diag);

/* "_NAME" in the names of files of one experiment among several, else "". Returns `out`. */
enum { SL_RUNDIR_SUFFIX_BYTES = 72 };
const char *sl_rundir_suffix(const struct sl_rundir_run *run, char out[SL_RUNDIR_SUFFIX_BYTES]);

/* mkdir -p. 0 or the directory's -errno with `diag` set. */
int sl_rundir_make_directories(const char *path, struct sl_diag *diag);

/* Writes text to `path`; `diag` names it on failure. */
int sl_rundir_write_text(const char *path, const struct sl_buf *text, struct sl_diag *diag);

/* host/spec/experiment.h: what `sme2lab run CONFIG.json` is asked to measure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "host/records.h"

struct cJSON;
struct sl_buf;
struct sl_diag;

struct sl_json_at;

enum {
    SL_EXPERIMENT_MAX_ARGS = 32,  /* extra ones of an external runner */
    SL_EXPERIMENT_MAX_PAIRS = 64, /* of experiments with external runners */
    SL_EXPERIMENT_MAX = 64,
    SL_EXPERIMENT_MAX_INPUTS = 64,
    SL_EXPERIMENT_MAX_LABELS = 32,
    SL_EXPERIMENT_MAX_COUNTS = 16,  /* numbers of threads in a list */
    SL_EXPERIMENT_MAX_THREADS = 64, /* of one run: what an agent has at most */
    SL_EXPERIMENT_MAX_PROCESSES = 16,
    SL_EXPERIMENT_LISTS = 2, /* that become an experiment each: threads, processes */
    SL_EXPERIMENT_AFFINITY_BYTES = 64,
    /* With a precision, those of host/analysis/stopping.h: */
    SL_EXPERIMENT_FIRST_LOOK = 20,
    SL_EXPERIMENT_PRECISE_PAIRS = 600,
    SL_EXPERIMENT_PRECISE_SECONDS = 120,
};

/* The factor sme2 = off, on, measured as one interleaved experiment. Texts are borrowed from the
 * configuration's document or from the command line. */
struct sl_experiment {
    const char *name;
    const char *model;
    const char *data_path; /* external weights (.ptd); NULL: none */
    const char *method;    /* NULL: the program's first */
    uint32_t runs, warmup; /* UINT32_MAX: as the device's clock needs */
    const char *inputs[SL_EXPERIMENT_MAX_INPUTS];
    size_t input_count;
    const char *input_shapes;                     /* NULL: the model's own */
    uint32_t seed;                                /* draws the order of the first pair */
    uint32_t threads[SL_EXPERIMENT_MAX_COUNTS];   /* different; one when the plan is expanded */
    size_t thread_count;                          /* at least 1 */
    uint32_t processes[SL_EXPERIMENT_MAX_COUNTS]; /* that run the model at a time, likewise */
    size_t process_count;                         /* at least 1 */
    uint32_t sme_threads;                         /* of them in streaming mode; 0: all */
    const char *affinity;     /* the CPUs they stay on; NULL: the system chooses */
    double precision_percent; /* half width of the ratio's interval to stop at; 0: none */
    double budget_seconds;    /* of measuring; 0: none beyond what a precision comes with */
    bool clean;               /* mode clean: whole executions alone are recorded */
    bool weight_cache;        /* packed weights are kept on the device */
    const char *family;       /* the name before lists made several experiments of it */
    const char *runner;       /* an external executor_runner; NULL: the agent's own runtime */
    const char *extra_args[SL_EXPERIMENT_MAX_ARGS];
    size_t extra_arg_count;
    bool xnntrace; /* the runner logs XNNPACK's kernels: its times are of no account */
};

/* Two experiments with external runners that are to be compared. */
struct sl_experiment_pair {
    const char *label;     /* NULL: none */
    const char *family[2]; /* baseline, candidate */
    uint32_t threads[2];
};

struct sl_experiment_plan {
    const char *model;        /* the first */
    const char *output_root;  /* NULL: chosen by the program */
    const char *device;       /* a kind, or the name of a lab's; NULL: chosen by the program */
    const char *cpu;          /* the emulator's, or NULL */
    uint32_t svl;             /* bits; 0: not said */
    int32_t priority;         /* in the daemon's queue */
    double confidence;        /* 0.5 to 0.9999 */
    double threshold_percent; /* a slow-down beyond it is a regression */
    const char *label_keys[SL_EXPERIMENT_MAX_LABELS], *label_values[SL_EXPERIMENT_MAX_LABELS];
    size_t label_count;
    struct sl_experiment experiments[SL_EXPERIMENT_MAX];
    size_t count;
    struct sl_experiment_pair pairs[SL_EXPERIMENT_MAX_PAIRS];
    size_t pair_count;
    char names[SL_EXPERIMENT_MAX][SL_NAME_BYTES]; /* of those that a list of models came to */
    /* NAME_tN of lists of threads, NAME_pN of lists of processes */
    char list_names[SL_EXPERIMENT_LISTS][SL_EXPERIMENT_MAX][SL_NAME_BYTES];
    struct cJSON *document; /* owned; NULL for a plan from the command line */
};

/* May an experiment be called that? The name becomes part of file names. */
bool sl_experiment_name_ok(const char *name);

/* One experiment named "run" on `model` (borrowed), all else by default. */
void sl_experiment_plan_init(struct sl_experiment_plan *plan, const char *model);
void sl_experiment_plan_fini(struct sl_experiment_plan *plan);

/* Reads a configuration. `file` is its name for messages. What this version cannot do is refused,
 * never left out. Returns 0, SL_E_FORMAT (`diag` has line or JSON pointer and the fix), SL_E_LIMIT
 * or -ENOMEM; on success end `out` with sl_experiment_plan_fini(). */
int sl_experiment_plan_parse(struct sl_bytes text, const char *file, struct sl_experiment_plan *out,
                             struct sl_diag *diag);

/* One experiment for each model and experiment so far: their names become MODEL_NAME. SL_E_LIMIT
 * with `diag` set for too many, SL_E_FORMAT for a name that is too long. */
int sl_experiment_plan_expand(struct sl_experiment_plan *plan, const char *const *models,
                              size_t count, struct sl_diag *diag);

/* experiment_looks.c. precision_percent and budget_seconds of `object`. */
int sl_experiment_read_looks(const struct sl_json_at *object, double *out_precision,
                             double *out_budget, struct sl_diag *diag);
/* Do they fit together with the number of runs (UINT32_MAX: not said) and the time that the whole
 * process may take (0: any)? SL_E_FORMAT with `diag` set. */
struct sl_experiment_looks {
    double precision_percent, budget_seconds;
    uint32_t runs, timeout_seconds;
};
int sl_experiment_check_looks(const struct sl_experiment_looks *looks, const char *where,
                              struct sl_diag *diag);
/* How many pairs are measured at most, and in what time (0: any). */
void sl_experiment_limits(const struct sl_experiment_looks *looks, bool counted,
                          uint32_t *out_pairs, uint32_t *out_budget_ms);

/* experiment_runner.c. runner_path (or quiet_runner), extra_args and what goes with them of
 * `object`, after all else of the experiment was read. */
int sl_experiment_read_runner(const struct sl_json_at *object, struct sl_experiment *out,
                              struct sl_diag *diag);
/* analysis of the root, after all experiments. Experiments with external runners and others do not
 * mix, nor do models. */
int sl_experiment_read_analysis(const struct sl_json_at *root, struct sl_experiment_plan *plan,
                                struct sl_diag *diag);

/* experiment_threads.c. `threads` (none: as it is), processes, sme_threads and cpu_affinity of
 * `object`. */
int sl_experiment_read_threads(const struct sl_json_at *threads, const struct sl_json_at *object,
                               struct sl_experiment *out, struct sl_diag *diag);
/* "4" or "1,2,4". SL_E_FORMAT with `diag` set. */
int sl_experiment_parse_threads(const char *text, struct sl_experiment *out, struct sl_diag *diag);
/* One experiment for each number of threads, and for each of processes (NAME_pN): where there are
 * several, they are called NAME_tN. Errors as of sl_experiment_plan_expand(), and SL_E_FORMAT for a
 * name that is there already. */
int sl_experiment_plan_expand_threads(struct sl_experiment_plan *plan, struct sl_diag *diag);

/* Appends the plan as JSON, defaults filled in. 0, SL_E_LIMIT or -ENOMEM. */
int sl_experiment_plan_explain(const struct sl_experiment_plan *plan, struct sl_buf *out);

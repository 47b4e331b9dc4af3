/* host/spec/spec.h: one run as it is asked for, from the command line to the agent. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/run_id.h"
#include "host/records.h"

struct cJSON;
struct sl_diag;
struct sl_plan;

enum {
    SL_SPEC_MAX_INPUTS = 64,
    SL_SPEC_MAX_LABELS = 32,
    SL_SPEC_MAX_ARGS = 32,      /* extra ones of an external runner */
    SL_SPEC_MAX_LIBRARIES = 32, /* of an external runner */
    SL_SPEC_MAX_VARIABLES = 32, /* of its environment */
    SL_SPEC_MAX_WORDS = 64,     /* of a list of texts */
    SL_SPEC_MAX_COUNTS = 16,    /* numbers in a list: of threads, of processes at a time */
    SL_SPEC_MAX_PROCESSES = 32, /* that repeat an experiment */
    SL_SPEC_MAX_PATH = 1023,
    SL_SPEC_MAX_THREADS = 64, /* of one run: what an agent has at most */
    /* With a precision, those of host/analysis/stopping.h: */
    SL_SPEC_FIRST_LOOK = 20,
    SL_SPEC_PRECISE_PAIRS = 600,
    SL_SPEC_PRECISE_SECONDS = 120,
};
#define SL_SPEC_UNSET UINT32_MAX /* a count that the device's clock decides */

enum sl_spec_runtime { SL_RUNTIME_OWN, SL_RUNTIME_EXECUTORCH };
enum sl_spec_mode { SL_MODE_TIMING, SL_MODE_CLEAN, SL_MODE_XNNTRACE };

/* A run, or a question to the device's agent whose answer is the job's result. */
enum sl_spec_task {
    SL_TASK_RUN,
    SL_TASK_PROBE,
    SL_TASK_KERNELS,
    SL_TASK_BENCH,
    SL_TASK_PEAKS,
    SL_TASK_PLAN,
    SL_TASK_RUNNERS, /* a run, too: of external runners */
};

/* The members are spec.inc's, each explained there: texts and paths are borrowed (from `document`,
 * a plan's document or the command line) and NULL where nothing was said, words are "". A path is
 * what the sender calls the file; its digest is the blob. A list of counts has one after spreading.
 */
struct sl_spec {
#define TEXT(field, ...) const char *field;
#define WORD(field, ...) char field[SL_NAME_BYTES];
#define COUNT(field, ...) uint32_t field;
#define NUMBER(field, ...) int32_t field;
#define REAL(field, ...) double field;
#define FLAG(field, ...) bool field;
#define CHOICE(field, ...) int field;
#define COUNTS(field, ...)                                                                         \
    uint32_t field[SL_SPEC_MAX_COUNTS];                                                            \
    size_t field##_count;
#define TEXTS(field, ...)                                                                          \
    const char *field[SL_SPEC_MAX_WORDS];                                                          \
    size_t field##_count;
#define PATH(field, ...) const char *field, *field##_sha256;
#define PATHS(field, ...)                                                                          \
    const char *field[SL_SPEC_MAX_INPUTS], *field##_sha256[SL_SPEC_MAX_INPUTS];                    \
    size_t field##_count;
#define LABELS(field, ...)                                                                         \
    const char *field##_keys[SL_SPEC_MAX_LABELS], *field##_values[SL_SPEC_MAX_LABELS];             \
    size_t field##_count;
#define FIXED(field, ...)
#include "host/spec/spec.inc"
    char family[SL_NAME_BYTES]; /* the name before lists made several experiments of it */
    struct cJSON *document;     /* owned, of a job; NULL: the texts are another's */
    struct sl_plan *plan;       /* of external runners, owned of a job; NULL: it has none */
    /* A job may collect the result that a device kept of an earlier one: the result's number there
     * (none: it collects nothing), and when that run began, Unix time. */
    struct sl_run_id kept_id;
    uint64_t kept_started_ms;
};

/* Everything as where nothing is said. */
void sl_spec_init(struct sl_spec *spec);
void sl_spec_fini(struct sl_spec *spec);

/* May an experiment be called that? The name becomes part of file names. */
bool sl_spec_name_ok(const char *name);

/* Does it leave a run with files of its own, or an answer alone? */
bool sl_spec_task_runs(int task);

/* Does the task measure, in time or in instructions as its device does? Others ask only. */
bool sl_spec_task_measures(int task);

/* Do precision and budget fit together with the number of runs and the time-out? SL_E_FORMAT with
 * `diag` set, at the experiment `where`, or at the key if that is NULL. */
int sl_spec_check_looks(const struct sl_spec *spec, const char *where, struct sl_diag *diag);

/* Are the pairs so far looked at, whether they are enough? Counts are exact: of them none are. */
bool sl_spec_has_looks(const struct sl_spec *spec, bool counted);

/* Fills in runs and warm-ups that are not given; runs that a precision or a budget ends stay open.
 */
void sl_spec_fill(struct sl_spec *spec, bool counted);

/* The name of the model's file: its path or, where that is not shown, the name alone. */
const char *sl_spec_model_file(const struct sl_spec *spec);

/* Can a device that counts instructions do that? SL_E_UNSUPPORTED with `diag` set. */
int sl_spec_check_counted(const struct sl_spec *spec, struct sl_diag *diag);

/* Whose kernels run the model: "own", "executorch", or "runners" that the user gave. */
const char *sl_spec_runtime_name(const struct sl_spec *spec);

/* The name that the user gave the model; else that of its path, or of its file. */
void sl_spec_model_title(const struct sl_spec *spec, char *out, size_t size);

/* How many pairs are measured at most, and in what time (0: any). */
void sl_spec_limits(const struct sl_spec *spec, bool counted, uint32_t *out_pairs,
                    uint32_t *out_budget_ms);

/* host/spec/plan.h: what `sme2lab run CONFIG.json` is asked to measure: one specification for each
 * experiment. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "host/spec/param.h"
#include "host/spec/spec.h"

struct cJSON;
struct sl_buf;
struct sl_diag;
struct sl_json;
struct sl_json_at;

enum {
    SL_PLAN_MAX = 64,        /* experiments */
    SL_PLAN_MAX_PAIRS = 64,  /* of experiments with external runners */
    SL_PLAN_MAX_FILES = 256, /* of them, different ones */
    SL_PLAN_ROUNDS = 20,     /* processes of a runner: a paired interval wants no fewer */
};

/* Two experiments with external runners that are to be compared. */
struct sl_plan_pair {
    const char *label;     /* NULL: none */
    const char *family[2]; /* baseline, candidate */
    uint32_t threads[2];
};

/* Each with the factor sme2 = off, on, measured interleaved. Texts are borrowed from the document
 * or from the command line. What a configuration says at its top stands in each of them. */
struct sl_plan {
    const char *model; /* the first */
    struct sl_spec specs[SL_PLAN_MAX];
    size_t count; /* at least 1 */
    struct sl_plan_pair pairs[SL_PLAN_MAX_PAIRS];
    size_t pair_count;
    struct cJSON *document; /* owned; NULL for a plan from the command line */
};

/* One experiment named "run" on `model` (borrowed), all else as where nothing is said. */
void sl_plan_init(struct sl_plan *plan, const char *model);
void sl_plan_fini(struct sl_plan *plan);

/* Reads a configuration. `file` is its path, for messages and for relative paths in it. What this
 * version cannot do is refused, never left out. Returns 0, SL_E_FORMAT (`diag` has line or JSON
 * pointer and the fix), SL_E_LIMIT or -ENOMEM; on success end `out` with sl_plan_fini(). */
int sl_plan_parse(struct sl_bytes text, const char *file, struct sl_plan *out,
                  struct sl_diag *diag);

/* One experiment for each number in a list of threads, then of processes at a time, called NAME_tN
 * and NAME_cN where there are several; then one for each process that repeats it, called NAME_pN,
 * with a seed of its own. SL_E_LIMIT with `diag` set for too many, SL_E_FORMAT for a
 * name that is too long, or there already. */
int sl_plan_spread(struct sl_plan *plan, struct sl_diag *diag);

/* Makes one experiment of our own runtime alone two: ExecuTorch's, then ours. As sl_plan_spread().
 */
int sl_plan_add_executorch(struct sl_plan *plan, struct sl_diag *diag);

/* Is it one experiment on both runtimes? Then ours has the directory's plain names, and
 * ExecuTorch's files lie beside them. Do files of the experiment at `index` carry its name? */
bool sl_plan_is_of_both(const struct sl_plan *plan);
bool sl_plan_shares(const struct sl_plan *plan, size_t index);

/* Appends the plan as JSON, which sl_plan_parse() reads, defaults filled in. 0, SL_E_LIMIT or
 * -ENOMEM. */
int sl_plan_explain(const struct sl_plan *plan, struct sl_buf *out);

/* Fills in the default numbers of runs and warm-ups. On the counted clock one pair and one repeat,
 * which must be equal, replace statistics. */
void sl_plan_fill(struct sl_plan *plan, bool counted);

/* --- external runners --- */

/* A configuration that stands in another document, which outlives the plan, with its lists spread
 * and its defaults filled in; every experiment has a runner. Its paths are names alone. A failure
 * sticks in the document's reader. */
void sl_plan_read_runners(const struct sl_json_at *at, struct sl_plan *out);
/* Writes the members that it reads, lists of threads being lists again, into an open object. */
void sl_plan_put(const struct sl_plan *plan, struct sl_json *json);

/* An item of "compare_pairs", or of the like: both sides by these names, and the label. */
void sl_plan_put_pair(struct sl_json *json, const struct sl_plan_pair *pair,
                      const char *const names[2]);

/* sl_params_each_file() of each experiment: what several name comes several times. */
int sl_plan_each_file(struct sl_plan *plan, sl_param_file_fn call, void *user);

/* Can a device with these traits run the spec's plan? 0, or SL_E_FORMAT with `diag` set. */
int sl_plan_check_device(const struct sl_spec *spec, struct sl_device_traits traits,
                         struct sl_diag *diag);

/* Lists the experiments in the order in which they take turns: both sides of each pair beside one
 * another, then the others. */
void sl_plan_order(const struct sl_plan *plan, size_t out[SL_PLAN_MAX]);
/* How many processes the runner's executions are spread over. */
uint32_t sl_plan_rounds(const struct sl_spec *spec);

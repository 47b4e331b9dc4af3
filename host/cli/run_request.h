/* host/cli/run_request.h: the command lines of `sme2lab run` and `sme2lab submit`, and the plan
 * they come to. What they say of a run itself is host/spec's; the rest is here. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/cli/ci.h"
#include "host/cli/options.h"
#include "host/cli/runtime_dir.h"
#include "host/spec/param.h"
#include "host/spec/spec.h"

struct sl_client;
struct sl_diag;
struct sl_plan;

enum { SL_CLI_RUN_COMMAND_BYTES = 4096 };

/* One option of a parameter as it was given. */
union sl_cli_run_said {
    const char *text; /* NULL: not given */
    int64_t count;    /* -1 */
    double real;      /* NAN */
    bool flag;
    struct sl_option_list list;
};

struct sl_cli_run_request {
    const char *target; /* MODEL.pte or CONFIG.json; this and the next are borrowed from argv */
    union sl_cli_run_said said[SL_PARAMS_MAX]; /* in the order of sl_params */
    struct sl_option_list only;
    const char *record_path; /* of the model's ETRecord; NULL: none */
    const char *baseline;    /* an earlier run to be held to; NULL: none */
    bool baseline_has[2];    /* by enum sl_spec_runtime; without a baseline both */
    const char *out;         /* of submit: where the files go; NULL: not said */
    struct sl_ci_wish ci;
    bool explain, analysis_only, cancel_on_interrupt, force, full;
    bool wait;            /* of submit: go on as run does */
    const char *group;    /* of submit: its name, or g7; NULL: not said */
    bool grouped;         /* what is submitted is a group where it is several jobs */
    bool both_by_default; /* nobody named a runtime, and ExecuTorch's is here */
    char command[SL_CLI_RUN_COMMAND_BYTES];
    char runtime[SL_RUNTIME_WORDS_BYTES]; /* --runtime without the directory that it named */
    char *path_texts[SL_PARAMS_MAX];      /* owned: the lists of files that are split */
    char label_keys[SL_OPTION_LIST_MAX][SL_NAME_BYTES];
};

/* 0; 1 when --help was printed; a negative code with `diag` set. End with sl_cli_run_request_fini()
 * in all cases. */
int sl_cli_run_request_parse(struct sl_cli_run_request *request, int argc, char **argv,
                             struct sl_diag *diag);
int sl_cli_run_request_parse_submit(struct sl_cli_run_request *request, int argc, char **argv,
                                    struct sl_diag *diag);
void sl_cli_run_request_fini(struct sl_cli_run_request *request);

/* Before the plan: what runtime_dir.h says of --runtime, or of $SME2LAB_RUNTIME, else of
 * `otherwise` (NULL: nothing), where a model comes without it. `server` is the command line's, or
 * NULL. */
int sl_cli_run_request_take_runtime(struct sl_cli_run_request *request, const char *otherwise,
                                    const char *server, struct sl_diag *diag);

/* The configuration or the bare model, with what the command line says laid over it. 0 or a
 * negative code with `diag` set; on success end `out` with sl_plan_fini(), before the request. */
int sl_cli_run_request_plan(struct sl_cli_run_request *request, struct sl_plan *out,
                            struct sl_diag *diag);

/* Makes the one experiment of a model for which nobody named a runtime one on both, if ExecuTorch's
 * is installed here and the daemon is of here too. As sl_plan_spread(). */
int sl_cli_run_request_add_executorch(struct sl_cli_run_request *request, const char *server,
                                      struct sl_plan *plan, struct sl_diag *diag);

/* The group that the jobs join, made where it is not there yet; 0: none. 0 or a code with `diag`
 * set. */
int sl_cli_run_request_join(const struct sl_cli_run_request *request, const struct sl_plan *plan,
                            struct sl_client *client, uint64_t *out_group, struct sl_diag *diag);

/* Before measuring: whether the silicon that was named has profiles. */
int sl_cli_run_request_check_silicon(const struct sl_plan *plan, struct sl_diag *diag);

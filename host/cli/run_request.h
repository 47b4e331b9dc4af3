/* host/cli/run_request.h: the command lines of `sme2lab run` and `sme2lab submit`, and the plan
 * they come to. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/cli/options.h"

struct sl_diag;
struct sl_experiment_plan;

enum { SL_RUN_COMMAND_BYTES = 4096 };

struct sl_run_request {
    const char *target; /* MODEL.pte or CONFIG.json; this and the next are borrowed from argv */
    const char *device, *cpu, *inputs, *input_shapes, *data_path, *method, *out, *threads;
    int64_t svl, runs, warmup, seed, priority; /* -1: not given */
    int64_t timeout_s;                         /* 0: none */
    double threshold_percent;                  /* NAN: not given */
    double precision_percent, budget_seconds;  /* the same */
    struct sl_option_list only;
    bool explain, analysis_only, cancel_on_interrupt, force, weight_cache;
    char command[SL_RUN_COMMAND_BYTES];
    char *input_text; /* owned: what `inputs` was split in */
};

/* 0; 1 when --help was printed; a negative code with `diag` set. End with sl_run_request_fini() in
 * all cases. */
int sl_run_request_parse(struct sl_run_request *request, int argc, char **argv,
                         struct sl_diag *diag);
int sl_run_request_parse_submit(struct sl_run_request *request, int argc, char **argv,
                                struct sl_diag *diag);
void sl_run_request_fini(struct sl_run_request *request);

/* The configuration or the bare model, with what the command line says laid over it. 0 or a
 * negative code with `diag` set; on success end `out` with sl_experiment_plan_fini(), before the
 * request. */
int sl_run_request_plan(struct sl_run_request *request, struct sl_experiment_plan *out,
                        struct sl_diag *diag);

/* Runs and warm-ups that nobody said. On the counted clock one pair and one repeat, which must be
 * equal, stand for statistics. */
void sl_run_request_fill(struct sl_experiment_plan *plan, bool counted);

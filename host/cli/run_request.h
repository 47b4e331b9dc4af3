/* host/cli/run_request.h: the command line of `sme2lab run`, and the plan it comes to. */
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
    const char *device, *cpu, *inputs, *input_shapes, *out, *threads;
    int64_t svl, runs, warmup, seed, timeout_s; /* -1: not given */
    double threshold_percent;                   /* -1: not given */
    struct sl_option_list only;
    bool explain;
    char command[SL_RUN_COMMAND_BYTES];
    char *input_text; /* owned: what `inputs` was split in */
};

/* 0; 1 when --help was printed; a negative code with `diag` set. End with sl_run_request_fini() in
 * all cases. */
int sl_run_request_parse(struct sl_run_request *request, int argc, char **argv,
                         struct sl_diag *diag);
void sl_run_request_fini(struct sl_run_request *request);

/* The configuration or the bare model, with what the command line says laid over it and what
 * neither says filled in. 0 or a negative code with `diag` set; on success end `out` with
 * sl_experiment_plan_fini(), before the request. */
int sl_run_request_plan(struct sl_run_request *request, struct sl_experiment_plan *out,
                        struct sl_diag *diag);

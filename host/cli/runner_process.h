/* host/cli/runner_process.h: one experiment in an external executor_runner: the warm-up in a
 * process of its own, then the measured one, and what they leave. */
#pragma once

#include <stdint.h>

#include "host/config/experiment.h"
#include "host/report/runner_log.h"

struct sl_device;
struct sl_diag;
struct sl_json;

enum { SL_RUNNER_NAME_BYTES = 256 };

struct sl_runner_job {
    const struct sl_device *device; /* its agent is the runner */
    const struct sl_experiment *experiment;
    const char *directory; /* of all experiments */
    uint64_t timeout_ms;   /* of each process; 0: none */
};

/* What became of it. Names are relative to the directory; that of a file that is not there is "".
 */
struct sl_runner_result {
    char etdump[SL_RUNNER_NAME_BYTES], log[SL_RUNNER_NAME_BYTES];
    char etdump_sha256[65];
    const char *stage; /* "warmup" or "measured": which failed; NULL: none */
    int exit_code;     /* of the failed process; -1: a signal ended it, or no ETDump was left */
    char why[256];     /* "" unless it failed */
    char last_lines[1024];
    struct sl_runner_log said; /* in the log of the measured process */
};

/* Runs it to its end. 0 however the runner ended: see `out`. Negative with `diag` set: a process
 * cannot be started, a file cannot be written, or -EINTR. */
int sl_runner_process_run(const struct sl_runner_job *job, struct sl_runner_result *out,
                          struct sl_diag *diag);

/* Where the runner is: a relative path below executorch/ if it is there, else as it is given. 0 or
 * a negative code with `diag` set: it cannot be executed. */
int sl_runner_process_find(const char *path, char *out, uint64_t size, struct sl_diag *diag);

/* The result as an item of import.json: a run, or what is known of its failure. */
void sl_runner_result_json(const struct sl_runner_job *job, const struct sl_runner_result *result,
                           struct sl_json *json);

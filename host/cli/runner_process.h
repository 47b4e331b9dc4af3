/* host/cli/runner_process.h: one process of an external executor_runner: warm-up and measured
 * executions alike, since a warm-up in another process warms nothing but the page cache. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "host/device/launch.h"
#include "host/report/runner_log.h"
#include "host/spec/plan.h"

struct sl_diag;

struct sl_runner_job {
    struct sl_device device;   /* its agent is the runner */
    struct sl_spec experiment; /* with runs and warm-up chosen; borrows from the plan */
    const char *directory;     /* of all experiments */
    uint64_t timeout_ms;       /* of each process; 0: none */
};

/* How it ended. */
struct sl_runner_end {
    struct sl_buf text; /* owned: what it printed, its log before its outputs */
    struct sl_runner_log said;
    uint64_t wall_ns;
    bool failed;
    bool lacks_outputs;    /* it failed because it does not know --output_file */
    int exit_code;         /* -1: a signal ended it, or no ETDump was left */
    char why[256];         /* "" unless it failed */
    char last_lines[1024]; /* likewise */
};

/* Runs it to its end, with so many executions. `outputs`: the base name for its outputs' files, or
 * NULL. 0 however the runner ended: see `out`, which the caller ends with sl_buf_fini(&out->text).
 * Negative with `diag` set: it cannot be started, or -EINTR. */
int sl_runner_process_run(const struct sl_runner_job *job, uint32_t executions, const char *etdump,
                          const char *outputs, struct sl_runner_end *out, struct sl_diag *diag);

/* Where the runner is: a relative path below executorch/ if it is there, else as it is given. 0 or
 * a negative code with `diag` set: it cannot be executed. */
int sl_runner_process_find(const char *path, char *out, uint64_t size, struct sl_diag *diag);

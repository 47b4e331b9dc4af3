/* host/cli/runner_arm.h: one experiment in an external executor_runner: its processes, each a round
 * with its own warm-up, and the one ETDump that they come to. */
#pragma once

#include "host/analysis/rounds.h"
#include "host/cli/runner_process.h"

struct sl_json;

enum { SL_RUNNER_NAME_BYTES = 256 };

/* Names are relative to the directory; that of a file that is not there is "". */
struct sl_runner_arm {
    struct sl_runner_job job;
    struct sl_rounds rounds;       /* planned; in the end those that were done */
    size_t done;                   /* rounds that did not fail */
    uint32_t order[SL_ROUNDS_MAX]; /* among the processes of all arms, from 0 on */
    bool lacks_outputs;            /* the runner does not know --output_file */
    struct sl_runner_end failure;  /* of the round that failed, without its text */
    char stem[SL_RUNNER_NAME_BYTES], etdump[SL_RUNNER_NAME_BYTES], log[SL_RUNNER_NAME_BYTES];
    char etdump_sha256[65];
    struct sl_buf text;        /* owned: what all processes printed */
    struct sl_runner_log said; /* of all processes; loading is that of one, on average */
    uint64_t wall_ns;
};

/* Makes its directory. `arm->job` is set, all else zero; end with sl_runner_arm_fini(). */
int sl_runner_arm_begin(struct sl_runner_arm *arm, struct sl_diag *diag);

/* Runs the next round. 0 however the runner ended: arm->failure says. Negative with `diag` set: as
 * sl_runner_process_run(). */
int sl_runner_arm_round(struct sl_runner_arm *arm, uint32_t order, struct sl_diag *diag);

/* Log and ETDump of the rounds that were done; of one that failed only the log. */
int sl_runner_arm_finish(struct sl_runner_arm *arm, struct sl_diag *diag);
void sl_runner_arm_fini(struct sl_runner_arm *arm);

/* The arm as an item of import.json: a run, or what is known of its failure. `together`: other
 * arms' rounds ran next to its own. */
void sl_runner_arm_json(const struct sl_runner_arm *arm, bool together, struct sl_json *json);

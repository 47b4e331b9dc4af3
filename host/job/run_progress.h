/* host/job/run_progress.h: how far a run is and what comes out so far, from the trace as it streams
 * in. Pure: fed with bytes and figures, it makes the object of a progress event. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_JOB_RUN_PROGRESS_VARIANTS = 2, SL_JOB_RUN_PROGRESS_PENDING = 4 };

/* The looks at the pairs so far (run_looks.h). */
struct sl_job_run_looked {
    double precision_percent, half_width_percent; /* asked for, seen last; 0: not */
    uint32_t looks;                               /* taken so far */
};

/* Off and on of one pair: begin and end of each in the trace's unit. */
struct sl_job_run_progress_pair {
    uint64_t marks[2 * SL_JOB_RUN_PROGRESS_VARIANTS];
};

struct sl_job_run_progress {
    /* From the link's state messages. */
    int phase;            /* the number of proto/job.proto's */
    bool reference;       /* the portable kernels' part */
    uint32_t pair, pairs; /* finished, of how many */
    uint64_t insns;       /* counted so far; 0: not counted */
    uint32_t warmup;      /* executions of each variant before the pairs */
    uint64_t insns_at_warmup, insns_at_pairs, insns_at_pair; /* when these began, and the last */
    /* From the trace. */
    uint64_t offset;     /* of the next record */
    uint8_t record[64];  /* one that came in two pieces */
    size_t record_bytes; /* of it received so far */
    uint32_t unit;       /* enum sl_trace_unit, 0: no header yet */
    uint32_t execute;    /* the name's id, 0: not seen */
    struct {
        uint32_t pair; /* of the open block; UINT32_MAX: none that counts */
        uint64_t start, end;
        bool ended;
    } variants[SL_JOB_RUN_PROGRESS_VARIANTS];
    struct sl_job_run_progress_pair
        pending[SL_JOB_RUN_PROGRESS_PENDING]; /* of marks, not yet resolved */
    size_t pending_count;
    uint64_t finished; /* pairs in the sums */
    double sums[SL_JOB_RUN_PROGRESS_VARIANTS];
    /* Told of each pair that is added to the sums; NULL: nobody. */
    void (*on_pair)(void *user, uint64_t off, uint64_t on);
    void *user;
};

/* A stretch of the trace's stream; what was taken already is passed over, what leaves a gap is not
 * looked at. Anything may stand in it. */
void sl_job_run_progress_take(struct sl_job_run_progress *progress, uint64_t offset,
                              const uint8_t *bytes, size_t len);

/* The agent says how far it is; `insns` is up to date. */
void sl_job_run_progress_step(struct sl_job_run_progress *progress, int phase, uint32_t pair,
                              uint32_t pairs);

/* Takes over what another has read of the trace; how far the agent says it is stays. */
void sl_job_run_progress_adopt(struct sl_job_run_progress *progress,
                               const struct sl_job_run_progress *read);

/* Adds the results of a pair of marks, off and on. */
void sl_job_run_progress_add(struct sl_job_run_progress *progress, uint64_t off, uint64_t on);

/* {"phase":…,"part":…,"pair":…,"pairs":…[,"percent":…][,"insns":…[,"expected_insns":…]]
 * [,"ratio":off/on,"off_ns":mean,"on_ns":mean]}; on the counted clock off_insns and on_insns.
 * The percentage is of the pairs; what they will count is known once the warm-up has run. With a
 * precision asked for also "precision_percent", "looks" and, after the first of them,
 * "half_width_percent"; how many pairs it takes is not known then. */
void sl_job_run_progress_json(const struct sl_job_run_progress *progress,
                              const struct sl_job_run_looked *looked, char *out, size_t size);

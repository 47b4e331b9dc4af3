/* host/device/link_job.h: a job as it goes over a link, and what comes back of it, as plain
 * structs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/run_id.h"

struct sl_device_conditions;
struct sl_spec;

enum {
    SL_LINK_STREAMS = 4, /* trace, log, output, files: numbered from 0 here, from 1 on the wire */
    SL_LINK_MAX_WORDS = 64, /* of a job's exec_prefix */
    SL_LINK_MAX_TASK = 80,  /* words of its task */
    SL_LINK_MAX_KEPT = 64,  /* jobs that an agent holds */
};

/* How the inference process ended; the numbers are proto/job.proto's. */
enum sl_link_outcome {
    SL_OUTCOME_DONE = 1,
    SL_OUTCOME_FAILED = 2,
    SL_OUTCOME_CRASHED = 3,
    SL_OUTCOME_TIMED_OUT = 4,
    SL_OUTCOME_CANCELLED = 5,
    SL_OUTCOME_NOT_STARTED = 6,
    SL_OUTCOME_LOST = 7,
    SL_OUTCOME_BUSY = 8, /* not begun: to be sent again later */
};

/* The job as asked for and as the host completes it; proto/job.proto explains the fields. All is
 * borrowed for the call, NULL is empty. */
struct sl_link_job {
    struct sl_run_id id;
    const struct sl_spec *spec;
    bool reference; /* one execution, without what is for the measured run alone */
    const char *variants, *clock, *policy, *compare_with;
    const char *const *exec_prefix;
    size_t exec_prefix_count;
    const struct sl_runtime_files *runtime; /* in the agent's place; NULL: the agent's own */
    uint32_t first_look, budget_ms;
    const char *config;      /* for the host that collects its result: what it was asked for */
    uint64_t started_ms;     /* Unix time */
    const char *const *task; /* words of the agent's own verb, in place of a run */
    size_t task_count;
};

struct sl_link_have {
    struct sl_run_id job;
    uint64_t offsets[SL_LINK_STREAMS]; /* that are durable */
};

struct sl_link_chunk {
    struct sl_run_id job;
    uint64_t offset;
    int stream;
    const uint8_t *bytes; /* borrowed */
    size_t len;
};

struct sl_link_result {
    struct sl_run_id job;
    int outcome; /* enum sl_link_outcome */
    int exit_code;
    unsigned signal;
    char last_operator[128], detail[256];
    uint64_t stream_bytes[SL_LINK_STREAMS], dropped_bytes;
    bool storage_failed; /* the device's disk took no more */
};

/* A job that the agent holds and that this daemon did not name. */
struct sl_link_kept {
    struct sl_run_id job;
    uint64_t bytes; /* of its streams */
    int outcome;    /* enum sl_link_outcome; 0: it still runs */
};

/* proto/envelope.proto's */
enum sl_link_wish { SL_LINK_KEEP = 1, SL_LINK_FORGET = 2, SL_LINK_TELL = 3, SL_LINK_SEND = 4 };

/* A job as its host described it to the agent. Texts are borrowed for the call; "": an agent or a
 * host that does not say. */
struct sl_link_told {
    struct sl_run_id job;
    uint64_t started_ms; /* Unix time, 0: not said */
    const char *config, *host;
};

struct sl_link_events {
    /* Asked after the proofs: what is here of each job that is open on this device; how many. */
    size_t (*have)(void *user, struct sl_link_have *out, size_t max);
    void (*up)(void *user); /* jobs may be sent */
    /* The link is lost or did not come up; it goes on trying. `failures` in a row. */
    void (*down)(void *user, const char *reason, unsigned failures);
    void (*chunk)(void *user, const struct sl_link_chunk *chunk);
    void (*state)(void *user, struct sl_run_id job, int phase, uint32_t pair, uint32_t pairs);
    void (*result)(void *user, const struct sl_link_result *result);
    /* Another start of the agent answers than before: it was not the link alone that was lost.
     * NULL: nobody wants to know. */
    void (*restarted)(void *user);
    /* A device that describes itself has: sl_link_facts() has it. NULL: nobody wants to know. */
    void (*described)(void *user);
    /* All jobs that the agent holds and `have` did not name, after each `have` and at each change;
     * none of them is sent or forgotten by itself. NULL: nobody wants to know. */
    void (*kept)(void *user, const struct sl_link_kept *kept, size_t count);
    /* The answer to SL_LINK_TELL. NULL: nobody wants to know. */
    void (*told)(void *user, const struct sl_link_told *told);
    /* The answer to sl_link_clean(): what was removed, or why nothing was ("": it was). NULL:
     * nobody wants to know. */
    void (*cleaned)(void *user, uint64_t files, uint64_t bytes, const char *refusal);
    /* The answer to sl_link_look(). NULL: nobody wants to know. */
    void (*conditions)(void *user, const struct sl_device_conditions *now);
};

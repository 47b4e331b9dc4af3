/* host/device/link.h: the one agent of a device and the connection to it, kept up: started,
 * connected, proven, asked for what is missing; again after each loss, with backoff. How one gets
 * there stands in a table of operations for each kind of device (transport.h).
 *
 * Everything is plain structs here; the protocol stays inside. On the loop's thread. No event comes
 * inside the call that asked for it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct uv_loop_s uv_loop_t;
struct sl_blob_put_list;
struct sl_device;
struct sl_diag;
struct sl_link;
struct sl_spec;

enum {
    SL_LINK_STREAMS = 4, /* trace, log, output, files: numbered from 0 here, from 1 on the wire */
    SL_LINK_MAX_JOBS = 64,
    SL_LINK_MAX_WORDS = 64,   /* of a job's exec_prefix */
    SL_LINK_GIVE_UP = 5,      /* failures in a row after which `down` says that it is hopeless */
    SL_LINK_START_MS = 10000, /* for an agent to say where it listens */
    SL_LINK_STOP_MS = 5000,   /* grace of an agent that is told to stop */
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

/* What is asked for, with what the host decides of it; proto/job.proto says what each is. All is
 * borrowed for the call, NULL is empty. */
struct sl_link_job {
    uint64_t id;
    const struct sl_spec *spec;
    bool reference; /* one execution, without what is for the measured run alone */
    const char *variants, *clock, *policy;
    const char *const *exec_prefix;
    size_t exec_prefix_count;
    uint32_t first_look, budget_ms;
};

struct sl_link_have {
    uint64_t job;
    uint64_t offsets[SL_LINK_STREAMS]; /* that are durable */
};

struct sl_link_chunk {
    uint64_t job, offset;
    int stream;
    const uint8_t *bytes; /* borrowed */
    size_t len;
};

struct sl_link_result {
    uint64_t job;
    int outcome; /* enum sl_link_outcome */
    int exit_code;
    unsigned signal;
    char last_operator[128], detail[256];
    uint64_t stream_bytes[SL_LINK_STREAMS], dropped_bytes;
    bool storage_failed; /* the device's disk took no more */
};

struct sl_link_events {
    /* Asked after the proofs: what is here of each job that is open on this device; how many. */
    size_t (*have)(void *user, struct sl_link_have *out, size_t max);
    void (*up)(void *user); /* jobs may be sent */
    /* The link is lost or did not come up; it goes on trying. `failures` in a row. */
    void (*down)(void *user, const char *reason, unsigned failures);
    void (*chunk)(void *user, const struct sl_link_chunk *chunk);
    void (*state)(void *user, uint64_t job, int phase, uint32_t pair, uint32_t pairs);
    void (*result)(void *user, const struct sl_link_result *result);
    /* A device that describes itself has: sl_link_facts() has it. NULL: nobody wants to know. */
    void (*described)(void *user);
};

/* What an agent says of its device once both sides are proven. */
struct sl_link_facts {
    bool emulated;
    const char *probe_json;               /* what `sme2lab-agent probe --json` prints there */
    const char *program, *program_sha256; /* the agent itself */
};

struct sl_link_options {
    const struct sl_device *device; /* how to get there; borrowed for the call */
    const char *agent;              /* the program, where it is started by us */
    const char *workdir;            /* <state>/agents/<device>; made */
};

/* Starts at once: an agent that is there is taken over, else one is started where that can be. 0,
 * -ENOMEM, -ENAMETOOLONG or the directory's -errno. */
int sl_link_new(uv_loop_t *loop, const struct sl_link_options *options,
                const struct sl_link_events *events, void *user, struct sl_link **out);

bool sl_link_is_up(const struct sl_link *link);
const char *sl_link_workdir(const struct sl_link *link);
int sl_link_agent_pid(const struct sl_link *link); /* 0: none known */

/* NULL: the agent has not said, or the device is one that the daemon knows by itself. Borrowed
 * until the link comes up again. */
const struct sl_link_facts *sl_link_facts(const struct sl_link *link);

/* Puts the blobs where the agent finds them, while the link is up; after a loss it goes on where it
 * was. `done` comes once, from the loop. One list at a time: SL_E_STATE; SL_E_LIMIT, -ENOMEM. */
int sl_link_put_blobs(struct sl_link *link, const struct sl_blob_put_list *list,
                      void (*done)(void *user, int rc, const struct sl_diag *diag), void *user);
/* `done` comes with -ECANCELED, if there is anything to stop. */
void sl_link_stop_blobs(struct sl_link *link);

/* SL_E_STATE while it is down, SL_E_FULL, SL_E_LIMIT. A job sent twice is one job. */
int sl_link_send_job(struct sl_link *link, const struct sl_link_job *job);
/* Of a job with a first look: measure `pairs` in all; `last`: and end with them. */
int sl_link_proceed(struct sl_link *link, uint64_t job, uint32_t pairs, bool last);
int sl_link_cancel_job(struct sl_link *link, uint64_t job);
/* Everything below `offset` of the stream is durable. While down nothing is sent: `have` says it
 * later. */
int sl_link_ack(struct sl_link *link, uint64_t job, int stream, uint64_t offset);
/* The result is durable too: the agent forgets the job. */
int sl_link_ack_result(struct sl_link *link, uint64_t job);

/* Back-pressure towards the agent. */
void sl_link_pause(struct sl_link *link, bool paused);

/* While held nothing is tried: whoever knows that the device is away says when it is back, and the
 * link is tried at once. A connection that is up stays. */
void sl_link_hold(struct sl_link *link, bool held);

/* Drops the connection; it comes up again. */
void sl_link_reconnect(struct sl_link *link);

/* Ends it; `closed` comes last. The agent is stopped, with what it runs, or left alone to go on for
 * the daemon to come. */
void sl_link_close(struct sl_link *link, bool stop_agent, void (*closed)(void *user), void *user);

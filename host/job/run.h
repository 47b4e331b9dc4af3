/* host/job/run.h: one job on one device: its blobs put in place, sent, streamed into its run
 * directory, and turned into a finished run.
 *
 * The measured run is followed by one of the portable kernels, whose outputs the others must agree
 * with. What is durable survives this daemon: a later one resumes the directory. On the loop's
 * thread but for `finish`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/records.h"

typedef struct uv_loop_s uv_loop_t;
struct sl_count_log;
struct sl_device;
struct sl_diag;
struct sl_job_run;
struct sl_link;
struct sl_link_chunk;
struct sl_link_have;
struct sl_link_result;
struct sl_spec;

enum {
    SL_JOB_RUN_LINK_MS = 120000, /* a link that is lost for longer ends the run */
    SL_JOB_RUN_BUSY_MS = 200,    /* an agent that has another job is asked again after it */
    SL_JOB_RUN_BEAT_MS = 5000,   /* `progress` comes at least so often while the device is there */
};

/* How a job is run on a device, which its sender has no say in. */
struct sl_job_means {
    const char *variants; /* a pair of --isa's words */
    bool marks;           /* ordinals in place of nanoseconds, which are equal in equal runs */
    bool alone;           /* without the run of the portable kernels */
};

/* A run whose streams are all here, for `finish`. Everything is borrowed. */
struct sl_job_ended {
    /* Absolute. trace.sltrace (resolved), streams/ as they came, files/output_sme2-off-0.bin and so
     * on, reference/files/output-0.bin and so on. */
    const char *directory;
    const char *state_dir;
    uint64_t job;
    const struct sl_spec *spec; /* with runs and warm-ups as they were */
    const struct sl_device *device;
    const struct sl_link_result *result;
    const struct sl_count_log *log; /* of a counted device, else NULL */
    bool has_trace, has_reference;
    bool recorded; /* `is_recorded` said so: what is there is not made again */
    const char *started_utc;
    uint64_t
        wall_ns; /* from the first message to the agent to its last; 0: an earlier daemon sent it */
};

/* What a look at the pairs so far came to. */
struct sl_job_look {
    double half_width; /* of the ratio's interval, relative */
    bool enough;
    uint32_t next; /* pairs at the look after it */
};

/* What a run needs of the rest of the daemon. */
struct sl_job_kit {
    /* NULL: {"off,on"} on every device. */
    struct sl_job_means (*means)(void *user, const struct sl_device *device);
    /* The families of kernels that stay out of streaming mode by the device's own table, of which
     * the run's directory gets a copy; "": it has none. Off the loop. NULL: no device has one. */
    int (*policy)(void *user, const struct sl_device *device, const char *state_dir,
                  const char *directory, char out[SL_SELECTOR_BYTES], struct sl_diag *diag);
    /* Looks at `n` log ratios of off to on, in the order measured: with a precision, at the numbers
     * of pairs that the first look and each `next` say. Off the loop. 0 or -ENOMEM. */
    int (*look)(void *user, const struct sl_spec *spec, const double *log_ratios, size_t n,
                struct sl_job_look *out);
    /* Of a directory that an earlier daemon left: can a run be made of what is there alone, without
     * the log of what was counted? Off the loop. NULL: never. */
    bool (*is_recorded)(void *user, const char *directory);
    /* Writes the artifacts into the directory and fills in verdict and ratio. Off the loop. NULL:
     * the streams are all. */
    int (*finish)(void *user, const struct sl_job_ended *ended, struct sl_run_record *record,
                  struct sl_diag *diag);
    void *user;
};

struct sl_job_run_events {
    void (*progress)(void *user, const char *json);
    /* The run is over and freed after this. `record` is NULL when nothing was measured. */
    void (*ended)(void *user, int cause, const char *detail, const struct sl_run_record *record);
};

struct sl_job_run_setup {
    const char *state_dir;
    const struct sl_device *device;
    struct sl_link *link; /* borrowed; its events are passed on by the owner */
    const struct sl_job_kit *kit;
    const char *device_name, *config_json; /* copied */
    uint64_t job;
    uint32_t attempt;
    const char *resume; /* the directory of an earlier daemon's, NULL: a new one */
};

/* 0 or -ENOMEM; every other failure comes out of `ended`. */
int sl_job_run_start(uv_loop_t *loop, const struct sl_job_run_setup *setup,
                     const struct sl_job_run_events *events, void *user, struct sl_job_run **out);
const char *sl_job_run_directory(const struct sl_job_run *run);
void sl_job_run_cancel(struct sl_job_run *run);

/* What the link says. `have` appends what is durable here; how many. False from `chunk`,
 * `result` and `state`: of another job. */
size_t sl_job_run_have(const struct sl_job_run *run, struct sl_link_have *out, size_t max);
void sl_job_run_link_up(struct sl_job_run *run);
void sl_job_run_link_down(struct sl_job_run *run, const char *reason, unsigned failures);
bool sl_job_run_chunk(struct sl_job_run *run, const struct sl_link_chunk *chunk);
bool sl_job_run_result(struct sl_job_run *run, const struct sl_link_result *result);
bool sl_job_run_state(struct sl_job_run *run, uint64_t id, int phase, uint32_t pair,
                      uint32_t pairs);

/* The daemon ends: everything stays for the one to come; `closed` comes last, `ended` never. */
void sl_job_run_close(struct sl_job_run *run, void (*closed)(void *user), void *user);

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

#include "host/job/kept_list.h"
#include "host/job/kit.h"

typedef struct uv_loop_s uv_loop_t;
struct sl_device;
struct sl_diag;
struct sl_finisher;
struct sl_job_run;
struct sl_link;
struct sl_link_chunk;
struct sl_link_have;
struct sl_link_result;
struct sl_spec;

enum {
    SL_JOB_RUN_LINK_MS = 120000,  /* a link that is lost for longer ends a run that was not begun */
    SL_JOB_RUN_DETACH_MS = 10000, /* and one that the device has goes on without it, detached */
    SL_JOB_RUN_BUSY_MS = 200,     /* an agent that has another job is asked again after it */
    SL_JOB_RUN_IDS = 2,           /* the measured run and that of the portable kernels */
    SL_JOB_RUN_BEAT_MS = 5000,    /* `progress` comes at least so often while the device is there */
};

struct sl_job_run_events {
    /* `type` is that of the event: "progress", or "log" with a line of the log. */
    void (*progress)(void *user, const char *type, const char *json);
    /* The run is over and freed after this. `record` is NULL when nothing was measured. With
     * `leaves` the device has the only copy of what was measured, and keeps it. */
    void (*ended)(void *user, int cause, const char *detail, const struct sl_run_record *record,
                  bool leaves);
    void (*taken)(void *user); /* the device has it, for the first time */
    /* The device cannot be reached and the run goes on there; or it is heard of again. */
    void (*detached)(void *user, bool detached);
};

struct sl_job_run_setup {
    const char *state_dir;
    const struct sl_device *device;
    struct sl_link *link; /* borrowed; its events are passed on by the owner */
    const struct sl_job_kit *kit;
    struct sl_finisher *finisher;          /* borrowed */
    const char *device_name, *config_json; /* copied */
    struct sl_kept_start start;
    const char *resume; /* the directory of an earlier daemon's, NULL: a new one */
    bool taken;         /* the device had that already */
};

/* 0 or -ENOMEM; every other failure comes out of `ended`. */
int sl_job_run_start(uv_loop_t *loop, const struct sl_job_run_setup *setup,
                     const struct sl_job_run_events *events, void *user, struct sl_job_run **out);
const char *sl_job_run_directory(const struct sl_job_run *run);
/* The numbers of its jobs on the wire. */
void sl_job_run_ids(const struct sl_job_run *run, struct sl_run_id out[SL_JOB_RUN_IDS]);
void sl_job_run_cancel(struct sl_job_run *run);

/* Events of the link. `have` appends what is durable here and returns how many. `chunk`, `result`
 * and `state` return false if they are of another job. */
size_t sl_job_run_have(const struct sl_job_run *run, struct sl_link_have *out, size_t max);
void sl_job_run_link_up(struct sl_job_run *run);
void sl_job_run_link_down(struct sl_job_run *run, const char *reason, unsigned failures);
bool sl_job_run_chunk(struct sl_job_run *run, const struct sl_link_chunk *chunk);
bool sl_job_run_result(struct sl_job_run *run, const struct sl_link_result *result);
bool sl_job_run_state(struct sl_job_run *run, struct sl_run_id id, int phase, uint32_t pair,
                      uint32_t pairs);

/* The daemon ends: everything stays for the one to come; `closed` comes last, `ended` never. */
void sl_job_run_close(struct sl_job_run *run, void (*closed)(void *user), void *user);

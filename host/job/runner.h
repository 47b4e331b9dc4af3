/* host/job/runner.h: who carries jobs out on devices, as the lab sees it. All on the loop's thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host/records.h"

struct sl_lab;

/* The lab calls these; what comes of it the runner tells by sl_lab_job_*(). */
struct sl_runner {
    /* Starts the job (its configuration is borrowed for the call). A failure comes out of
     * sl_lab_job_ended(), from the loop. */
    void (*start)(void *user, const struct sl_job_record *job, const char *config_json,
                  const struct sl_device_record *device);
    /* Asks it to end soon; sl_lab_job_ended() follows all the same. */
    void (*cancel)(void *user, uint64_t job, const char *device);
    void *user;
    /* The job of an earlier daemon that the device goes on with, whose end will be told; 0: none. A
     * job that ran and is held by nobody goes back to the queue at once. NULL: never one. */
    uint64_t (*held)(void *user, const char *device);
    /* The device has left the lab and has no job. NULL: nobody wants to know. */
    void (*forget)(void *user, const char *device);
    /* The device is a person's now and has no job, or it is theirs no longer: what keeps others
     * from it is let go meanwhile. May be told twice. NULL: nobody wants to know. */
    void (*lend)(void *user, const char *device, bool lent);
};

/* A job goes on: its lease is extended, and those who listen hear of it by an event of `type`
 * (static storage), "progress" or "log". `json` is an object of less than SL_EVENTS_JSON_BYTES.
 * SL_E_NOT_FOUND when the device has lost it: it must be dropped.
 */
int sl_lab_job_progress(struct sl_lab *lab, uint64_t job, const char *device, const char *type,
                        const char *json);

/* The device of a running job cannot be reached, and it goes on there; or it is heard of again.
 * SL_E_NOT_FOUND as above. */
int sl_lab_job_detached(struct sl_lab *lab, uint64_t job, const char *device, bool detached);

/* The job ended on that device. `cause` is enum sl_job_cause; `run` (NULL: none was made) is stored
 * with the job's end, and its id is the job's. Both are told when they are stored, and neither is
 * where the job has become another host's. SL_E_NOT_FOUND as above. */
int sl_lab_job_ended(struct sl_lab *lab, uint64_t job, const char *device, int cause,
                     const char *detail, const struct sl_run_record *run);

/* host/job/queue.h: jobs waiting for devices: one job a device at a time, by priority; among equals
 * the submitters take turns, and of one submitter the oldest goes first. So that nothing starves
 * however much of higher priority comes, each device gives one turn in SL_QUEUE_AGED_TURN to the
 * jobs that were passed over longest, once that is SL_QUEUE_AGED_MS.
 *
 * Pure: time comes in as an argument, what happened comes in as calls, what changed goes out
 * through one callback, whose owner makes it durable. A job is never lost and never on two devices:
 * a device's lease must end before its job goes to another. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/job/places.h"
#include "host/records.h"

struct sl_queue;

enum {
    SL_QUEUE_MAX_JOBS = 100000,
    SL_QUEUE_MAX_DEVICES = SL_PLACES_MAX,
    SL_QUEUE_MAX_SELECTORS = 1024, /* different ones at a time */
    SL_LEASE_MS = 30000,
    SL_QUEUE_AGED_MS = 3600 * 1000, /* since one of a submitter's jobs of that priority and selector
                                       began, or the first of them came */
    SL_QUEUE_AGED_TURN = 8
};

/* Called after each change of a job; the record is borrowed. */
typedef void (*sl_queue_changed_fn)(void *user, const struct sl_job_record *job);

int sl_queue_new(sl_queue_changed_fn on_changed, void *user, struct sl_queue **out);
void sl_queue_free(struct sl_queue *queue);

/* Adds a job (state QUEUED, or RUNNING with its lease when read back from the store after a
 * restart). Final states are refused with -EINVAL, a selector that is none with SL_E_FORMAT, a
 * known id with -EEXIST, a full queue with SL_E_FULL. Calls back. */
int sl_queue_add(struct sl_queue *queue, const struct sl_job_record *job);

/* May a job of that selector come in? SL_E_FULL: there are as many jobs, or as many different
 * selectors, as may be. What is stored already is added whatever its selector. */
int sl_queue_room(const struct sl_queue *queue, const char *selector);

/* Takes a copy of what the device is (host/spec/selector.h): jobs that it fits may go to it, once
 * it is ready. Called again whenever more of it is known; a job that runs there stays. -EINVAL,
 * SL_E_FULL, -ENOMEM. */
int sl_queue_device_is(struct sl_queue *queue, const struct sl_device_record *device);

/* A device takes jobs from now on, or no longer. SL_E_NOT_FOUND, -EEXIST. A device that leaves
 * keeps its job's lease. */
int sl_queue_device_ready(struct sl_queue *queue, const char *device);
void sl_queue_device_gone(struct sl_queue *queue, const char *device);

/* The next assignment that can be made, made: job now RUNNING on a ready device without one. False
 * if there is none. Call until false after any change. */
bool sl_queue_assign(struct sl_queue *queue, uint64_t now_ms, uint64_t *out_job,
                     char out_device[SL_NAME_BYTES]);

/* The device still works on it: the lease is extended. SL_E_NOT_FOUND if it is not this device's
 * (its lease ended and it went elsewhere): the device must drop it. */
int sl_queue_renew(struct sl_queue *queue, uint64_t job, const char *device, uint64_t now_ms);

/* It runs on where it cannot be reached (SL_JOB_DETACHED), or is heard of again. SL_E_NOT_FOUND as
 * above. */
int sl_queue_detach(struct sl_queue *queue, uint64_t job, const char *device, bool detached);

/* It ended. SL_CAUSE_LAB puts it back while attempts are left, and it rests; `run` is the run it
 * made, 0 for none. SL_E_NOT_FOUND as above. */
int sl_queue_finish(struct sl_queue *queue, uint64_t job, const char *device, int cause,
                    uint64_t run, const char *detail, uint64_t now_ms);

/* Forgets a job without a word: another host has it, or has ended it. Its
 * device is free for another job here, unless it is not ready. */
void sl_queue_drop(struct sl_queue *queue, uint64_t job);

/* A queued job is cancelled at once; of a running one `cancel_wanted` is set, and it ends as
 * CANCELLED whatever it finishes with. SL_E_NOT_FOUND for an unknown or finished one. */
int sl_queue_cancel(struct sl_queue *queue, uint64_t job, uint64_t now_ms);

/* A job that is not in the queue ended long ago, well or not: those that come after it
 * (`after_jobs`) hear of it. Of those in the queue they hear without this. */
void sl_queue_ended(struct sl_queue *queue, uint64_t job, bool well);
/* Is `job` held until `first` has ended? */
bool sl_queue_waits(const struct sl_queue *queue, uint64_t job, uint64_t first);

/* Ends leases that have run out: their jobs go back, or fail after SL_MAX_ATTEMPTS. A job that
 * waits at its deadline (`deadline_ms`, 0: none) ends as CANCELLED, cause SL_CAUSE_DEADLINE. One
 * that is held until now waits for a device from now on; one that comes after a job that did not
 * end as DONE ends as CANCELLED, cause SL_CAUSE_DEPENDENCY. */
void sl_queue_tick(struct sl_queue *queue, uint64_t now_ms);
/* Time as it comes in has jumped by so much: leases that run go on as long as they would have.
 * Deadlines are times of day, and stay. */
void sl_queue_shift(struct sl_queue *queue, int64_t by_ms);
/* When the next lease or rest ends or deadline passes, UINT64_MAX for never: for the owner's timer.
 */
uint64_t sl_queue_next_tick_ms(const struct sl_queue *queue);

/* The open jobs of a group, in no order: *out_jobs is owned by the caller. -ENOMEM. */
int sl_queue_group(const struct sl_queue *queue, uint64_t group, uint64_t **out_jobs,
                   size_t *out_count);

/* When the job that waits longest was submitted, Unix time in ms; 0: none waits. Looks at every
 * submitter. */
uint64_t sl_queue_oldest_ms(const struct sl_queue *queue);

const struct sl_job_record *sl_queue_find(const struct sl_queue *queue, uint64_t job);
size_t sl_queue_count(const struct sl_queue *queue, int state); /* open jobs by enum sl_job_state */
/* The jobs that wait and could go to that device; those that are held or rest do not count. */
size_t sl_queue_waiting_for(const struct sl_queue *queue, const char *device);

/* host/job/lab.h: the lab as the outside asks of it: submit, cancel, look, listen. One per daemon,
 * on the loop's thread.
 *
 * It joins the queue, the store, the devices and the runs under way. Whatever it answers "done" for
 * is durable. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/job/events.h"
#include "host/records.h"

typedef struct uv_loop_s uv_loop_t;
struct sl_device_conditions;
struct sl_device_facts;
struct sl_diag;
struct sl_lab;
struct sl_spec;
struct sl_store;

/* One run as it was asked for, and the text (a job's body, host/spec/job_body.h) that it was read
 * from, which is what is stored. */
struct sl_submission {
    const struct sl_spec *spec;
    const char *config_json;
    const char *idempotency_key; /* NULL: none */
    const char *owner;           /* who submits it; "": not known */
    uint32_t max_open;           /* open jobs of the owner; 0: any number */
    uint64_t group;              /* that it joins; 0: none */
};
typedef void (*sl_lab_submit_fn)(void *user, int rc, uint64_t job);

/* With a key that came before, `done` gets its job's id, and nothing else happens, even when that
 * job has ended; SL_E_MISMATCH when its configuration was another.
 *
 * 0 and `done` later (SL_E_LIMIT: the owner has as many open jobs as it may; SL_E_NOT_FOUND,
 * -EACCES: no such group, or another's), or at once: SL_E_FULL
 * (queue), SL_E_NOT_FOUND (no such device) with words in `diag`. */
int sl_lab_submit(struct sl_lab *lab, const struct sl_submission *submission, sl_lab_submit_fn done,
                  void *user, struct sl_diag *diag);

/* SL_E_NOT_FOUND for one that is not open. */
int sl_lab_cancel(struct sl_lab *lab, uint64_t job);

/* Every open job of the group. 0 or -ENOMEM. */
int sl_lab_cancel_group(struct sl_lab *lab, uint64_t group);

/* The record of an open job (the store has them all): NULL if it is not open. Borrowed until the
 * next call. */
const struct sl_job_record *sl_lab_job(const struct sl_lab *lab, uint64_t job);

/* Devices in the order of their names: how many; *out is borrowed until the next change. Their
 * `queued` is as it was counted last. */
size_t sl_lab_devices(const struct sl_lab *lab, const struct sl_device_record **out);
/* The same, and `queued` is counted for each: for lists that show it, too much for each event. */
size_t sl_lab_devices_with_queues(struct sl_lab *lab, const struct sl_device_record **out);
/* Returns the device of that name, or NULL. */
const struct sl_device_record *sl_lab_device(const struct sl_lab *lab, const char *name);
/* The other hosts that share the store: their devices, as each told last, and counts of heartbeats
 * and of jobs that were taken over. */
struct sl_peers;
const struct sl_peers *sl_lab_peers(const struct sl_lab *lab);
/* Something changed in the store. */
void sl_lab_look(struct sl_lab *lab);
/* A device that takes jobs from now on; of one that is known the kind changes, from its next job
 * on. SL_E_FULL, -ENOMEM. */
int sl_lab_add_device(struct sl_lab *lab, const char *device, int kind);
/* Sets traits of a device for those who ask, and the emulator's -cpu, "" for none. */
void sl_lab_tell_device(struct sl_lab *lab, const char *device, struct sl_device_traits traits,
                        const char *cpu);
/* Tags, with commas; "": none. */
void sl_lab_tag_device(struct sl_lab *lab, const char *device, const char *tags);
/* Takes a copy of what its agent says of it. */
void sl_lab_device_conditions(struct sl_lab *lab, const char *device,
                              const struct sl_device_conditions *now);
void sl_lab_device_facts(struct sl_lab *lab, const char *device,
                         const struct sl_device_facts *facts);
/* Sets a device's own description, for those who ask. */
void sl_lab_describe_device(struct sl_lab *lab, const char *device, const char *model,
                            const char *soc, const char *system);
/* Takes the state that the listing or the link reports: enum sl_device_cause, `why` in words ("":
 * the cause says all). A device that is not well keeps the job that it has and gets no other. */
void sl_lab_device_listed(struct sl_lab *lab, const char *device, int cause, const char *why);
void sl_lab_device_link(struct sl_lab *lab, const char *device, int cause, const char *why);
/* So many results it keeps of runs that this daemon does not know, for those who listen. */
void sl_lab_device_results(struct sl_lab *lab, const char *device, size_t results, uint64_t bytes);
/* Which steps to bring it back it has besides a new connection (SL_STEP_ bits), and the pause
 * before the first (0: as usual). */
void sl_lab_device_can(struct sl_lab *lab, const char *device, unsigned steps, uint32_t pause_ms);
/* It takes no more jobs, and leaves when it has none; queued ones that want it wait for its return.
 * SL_E_NOT_FOUND. */
int sl_lab_remove_device(struct sl_lab *lab, const char *device);
/* Quarantine takes a device out after its job, for that reason and for later daemons too; NULL
 * brings it back. SL_E_NOT_FOUND, or why the file of it could not be written. */
int sl_lab_quarantine(struct sl_lab *lab, const char *device, const char *reason);
/* Gives it to a person until then (Unix time, ms), after its job and for later daemons too: it
 * takes no job. 0 ends that. SL_E_NOT_FOUND, or why the file of it could not be written. */
int sl_lab_reserve(struct sl_lab *lab, const char *device, uint64_t until_ms, const char *who);
/* Tries it anew, from the foot of its ladder, and asks it what it is. SL_E_NOT_FOUND. */
int sl_lab_probe(struct sl_lab *lab, const char *device);
/* How often a step (enum sl_device_step) was done to bring a device back. */
uint64_t sl_lab_steps(const struct sl_lab *lab, int step);

/* The open jobs, to ask of them (host/job/queue.h). */
struct sl_queue;
const struct sl_queue *sl_lab_queue(const struct sl_lab *lab);

/* Calls `on_event` for each kept event after `after` (0: only new ones) of `job` (0: all), from the
 * loop, then for each new one, until sl_lab_unlisten(), which may be called inside `on_event`.
 * -ENOMEM. */
int sl_lab_listen(struct sl_lab *lab, uint64_t job, uint64_t after, sl_lab_event_fn on_event,
                  void *user, struct sl_lab_listener **out);

struct sl_store *sl_lab_store(const struct sl_lab *lab);
/* The state directory: run directories are below it (struct sl_run_record), blobs in blobs/. */
const char *sl_lab_state_dir(const struct sl_lab *lab);

/* host/job/devices.h: the devices of this daemon: a link to each, and on each at most one run. It
 * is the runner (host/job/runner.h) of a lab; what the lab is told goes out through two calls, so
 * that neither holds the other.
 *
 * A run that an earlier daemon left open on a device is resumed. On the loop's thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/run_id.h"
#include "host/records.h"

typedef struct uv_loop_s uv_loop_t;
struct sl_device;
struct sl_device_conditions;
struct sl_device_record;
struct sl_devices;
struct sl_job_kit;
struct sl_job_record;
struct sl_kept_list;
struct sl_runner;

struct sl_devices_events {
    /* As sl_lab_job_progress() and sl_lab_job_ended(). A negative `progress`: the run is dropped.
     */
    int (*progress)(void *user, uint64_t job, const char *device, const char *type,
                    const char *json);
    int (*ended)(void *user, uint64_t job, const char *device, int cause, const char *detail,
                 const struct sl_run_record *run);
    /* An agent said what its device is. NULL: nobody wants to know. */
    void (*described)(void *user, const char *device, struct sl_device_traits traits,
                      const char *cpu, const char *probe_json);
    /* As sl_lab_job_detached(). NULL: nobody wants to know. */
    int (*detached)(void *user, uint64_t job, const char *device, bool detached);
    /* The device's link: enum sl_device_cause, and why in words. NULL: nobody wants to know. */
    void (*link)(void *user, const char *device, int cause, const char *why);
    /* The device keeps so many results of runs that nobody here knows; said when that changes.
     * NULL: nobody wants to know. */
    void (*kept)(void *user, const char *device, size_t results, uint64_t bytes);
    /* How a device without a run is, after each and once a minute. NULL: nobody wants to know. */
    void (*conditions)(void *user, const char *device, const struct sl_device_conditions *now);
};

struct sl_devices_cleaned {
    uint64_t files, bytes; /* the latter that the device has more */
};
/* `cleaned` is NULL where nothing was removed: -EBUSY (its agent has a job), SL_E_STATE (it cannot
 * be reached any more), -ETIMEDOUT. */
typedef void (*sl_devices_cleaned_fn)(void *user, int rc, const struct sl_devices_cleaned *cleaned);

struct sl_devices_options {
    const char *state_dir;  /* exists; copied */
    const char *agent;      /* the program that serves on this machine; copied */
    struct sl_job_kit *kit; /* borrowed */
    bool on_demand;         /* links come up with a device's first job, or to resume one */
};

int sl_devices_new(uv_loop_t *loop, const struct sl_devices_options *options,
                   const struct sl_devices_events *events, void *user, struct sl_devices **out);

/* Adds a device (copied) and brings its link up, unless on demand; a run left open goes on.
 * SL_E_FULL, -EEXIST, -EBUSY (one of that name is just being forgotten), -ENOMEM or what
 * sl_link_new() says. */
int sl_devices_add(struct sl_devices *devices, const char *name, const struct sl_device *device);

/* The device is of that kind from its next job on. SL_E_NOT_FOUND; SL_E_STATE: it is reached
 * another way, and must be forgotten and added. */
int sl_devices_change(struct sl_devices *devices, const char *name, const struct sl_device *device);

/* The runner's calls, to be put into struct sl_runner with `devices` as its user. */
void sl_devices_start(void *devices, const struct sl_job_record *job, const char *config_json,
                      const struct sl_device_record *device);
void sl_devices_cancel(void *devices, uint64_t job, const char *device);
uint64_t sl_devices_held(void *devices, const char *device);
/* One without a job: its link is closed and its agent ends. */
void sl_devices_forget(void *devices, const char *device);

/* Lends a device to a person, or takes it back. A phone that the daemon reaches over adb without a
 * server is let go meanwhile, as soon as it has no run: that person's server may take it. */
void sl_devices_lend(void *devices, const char *device, bool lent);

/* The device is known to be away: nothing is tried until it is known to be back. */
void sl_devices_hold(struct sl_devices *devices, const char *name, bool held);

/* The same device is reached by another link of its kind (its `link` stays its own) from the next
 * connection on; one that is up stays. */
void sl_devices_move(struct sl_devices *devices, const char *name, const char *link);

/* The link that it is reached by, as a configuration says it; "": it is this machine, or none of
 * ours. Borrowed until the loop goes on. */
const char *sl_devices_way(const struct sl_devices *devices, const char *name);
bool sl_devices_has(const struct sl_devices *devices, const char *name);
/* Is it being reached, or is that only done with its first job? */
bool sl_devices_connects(const struct sl_devices *devices, const char *name);

/* The results that it keeps of runs that nobody here knows, as its agent said last; NULL: no such
 * device. Borrowed until the loop goes on. */
const struct sl_kept_list *sl_devices_kept(const struct sl_devices *devices, const char *name);
/* The device may forget that result; one that still runs is stopped. 0; SL_E_NOT_FOUND, SL_E_STATE
 * (it cannot be reached), or why that could not be written down: then it is for this daemon. */
int sl_devices_forget_kept(struct sl_devices *devices, const char *name, struct sl_run_id id);

/* Its agent removes from its working directory what no job needs: files that it was sent, packed
 * weights, spools that cannot be read; results that it keeps stay. 0 and `done` later, or
 * SL_E_NOT_FOUND, -EBUSY (it has a run, or is being cleaned), SL_E_STATE (it cannot be reached),
 * -ENOMEM. */
int sl_devices_clean(struct sl_devices *devices, const char *name, sl_devices_cleaned_fn done,
                     void *user);

int sl_devices_agent_pid(const struct sl_devices *devices, const char *name); /* 0: none */

/* Drops the device's connection; it comes up again and goes on where it was. One that is down is
 * tried at once. */
void sl_devices_reconnect(struct sl_devices *devices, const char *name);
/* The same, after its USB port was reset. SL_E_UNSUPPORTED: it has none; SL_E_NOT_FOUND. */
int sl_devices_reset(struct sl_devices *devices, const char *name);

/* Ends all links. Runs stay open for a later daemon, and their agents go on, unless `stop_agents`.
 * `closed` comes last. */
void sl_devices_close(struct sl_devices *devices, bool stop_agents, void (*closed)(void *user),
                      void *user);

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

#include "host/device/link_job.h"

typedef struct uv_loop_s uv_loop_t;
struct sl_blob_put_list;
struct sl_device;
struct sl_device_clock_bounds;
struct sl_diag;
struct sl_link;

enum {
    SL_LINK_MAX_JOBS = 64,
    SL_LINK_GIVE_UP = 5,      /* failures in a row after which `down` says that it is hopeless */
    SL_LINK_START_MS = 10000, /* for an agent to say where it listens */
    SL_LINK_STOP_MS = 5000,   /* grace of an agent that is told to stop */
};

/* The agent's facts about its device, once both sides are proven. */
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
/* Lets a job with interim looks measure `pairs` in all; `last`: and end with them. */
int sl_link_proceed(struct sl_link *link, struct sl_run_id job, uint32_t pairs, bool last);
int sl_link_cancel_job(struct sl_link *link, struct sl_run_id job);
/* Everything below `offset` of the stream is durable. While down nothing is sent: `have` says it
 * later. */
int sl_link_ack(struct sl_link *link, struct sl_run_id job, int stream, uint64_t offset);
/* The result is durable too: the agent forgets the job. */
int sl_link_ack_result(struct sl_link *link, struct sl_run_id job);

/* Says what the agent does with a job that has no open run; one that runs is not forgotten. */
int sl_link_claim(struct sl_link *link, struct sl_run_id job, enum sl_link_wish wish);

/* The agent removes from its working directory what no job needs, and says what. One that is older
 * says nothing. */
int sl_link_clean(struct sl_link *link);

/* The agent says how its device is now, unless it has a job or is older than that. */
int sl_link_look(struct sl_link *link);

/* From now on the agent is asked for its clock, or no more. Each begin forgets what was found. */
void sl_link_watch_clock(struct sl_link *link, bool watch);
/* Gives what was found since the last begin. False: nothing, as of an older agent. */
bool sl_link_clock(const struct sl_link *link, struct sl_device_clock_bounds *out);

/* Back-pressure towards the agent. */
void sl_link_pause(struct sl_link *link, bool paused);

/* While held nothing is tried: whoever knows that the device is away says when it is back, and the
 * link is tried at once. A connection that is up stays. */
void sl_link_hold(struct sl_link *link, bool held);

/* The same device is reached by another link of its kind from the next connection on. */
void sl_link_move(struct sl_link *link, const char *to);

/* After `down`: enum sl_device_cause, if the device itself says why it cannot be used; else
 * SL_CAUSE_DEVICE_WELL. */
int sl_link_cause(const struct sl_link *link);

/* Drops the connection; it comes up again. Without one, the next try is now. */
void sl_link_reconnect(struct sl_link *link);
/* The same, after its USB port was reset. SL_E_UNSUPPORTED where the daemon itself has none. */
int sl_link_reset(struct sl_link *link);

/* Ends it; `closed` comes last. The agent is stopped, with what it runs, or left alone to go on for
 * the daemon to come. */
void sl_link_close(struct sl_link *link, bool stop_agent, void (*closed)(void *user), void *user);

/* host/job/ledger.h: the jobs of the queue and their rows in the store, which other hosts write
 * too, kept alike: a job begins when the store says that it is this host's, its change is told when
 * it is stored, and what others made of jobs comes into the queue. On the loop's thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host/job/claims.h"
#include "host/job/dependencies.h"
#include "host/job/elsewhere.h"
#include "host/job/peers.h"
#include "host/job/saver.h"
#include "host/job/wishes.h"
#include "host/records.h"

struct sl_events;
struct sl_queue;
struct sl_run_record;
struct sl_store;

struct sl_ledger_calls {
    uint64_t (*now_ms)(void *user); /* Unix time */
    /* The first word of the store: jobs that ran under an earlier daemon are this host's. */
    void (*begun)(void *user, int rc);
    /* A job of the queue is this host's: it begins on its device. */
    void (*claimed)(void *user, const struct sl_job_record *job, const char *config_json);
    /* A job is this host's no longer, and not in the queue: its device has not begun it. */
    void (*lost)(void *user, uint64_t job, const char *device);
    /* The same, and its device is at it: it must stop. */
    void (*stop)(void *user, uint64_t job, const char *device);
    /* A job is to be cancelled, as somebody at another host wishes. */
    void (*cancel)(void *user, uint64_t job);
    /* Something may be ready to begin. */
    void (*changed)(void *user);
    /* A beat comes: devices are told to other hosts. */
    void (*beats)(void *user);
    /* After each answer of the store, and after the close. */
    void (*answered)(void *user);
};

struct sl_ledger_setup {
    struct sl_store *store;   /* borrowed */
    struct sl_queue *queue;   /* the same; its changes go to sl_ledger_changed() */
    struct sl_events *events; /* the same */
    const char *host;         /* this one's name */
    struct sl_beats beats;
    struct sl_ledger_calls calls;
    void *user;
};

/* Read only. */
struct sl_ledger {
    struct sl_ledger_setup setup;
    char host[SL_NAME_BYTES];
    struct sl_job_saver saver;
    struct sl_dependencies dependencies;
    struct sl_claims claims;
    struct sl_wishes wishes;
    struct sl_peers peers;
    struct sl_elsewhere elsewhere;
    const struct sl_run_record *run; /* of the job that is ending; else NULL */
    bool quiet, assigning;
};

void sl_ledger_init(struct sl_ledger *ledger, uv_loop_t *loop, const struct sl_ledger_setup *setup);
void sl_ledger_start(struct sl_ledger *ledger);

/* For sl_queue_new(): `user` is the ledger. */
void sl_ledger_changed(void *user, const struct sl_job_record *job);

/* Takes a job that was submitted here, and is stored, into the queue, or gives it up. Returns 0; 1
 * if the ledger has the job already, from a list of open jobs that was answered before the
 * submission; or why it is given up. */
int sl_ledger_add(struct sl_ledger *ledger, const struct sl_job_record *job);
/* The next assignment that can be made is, and asked of the store: claimed() or lost() follows. */
bool sl_ledger_assign(struct sl_ledger *ledger, uint64_t *out_job, char out_device[SL_NAME_BYTES]);
/* Like sl_queue_finish() and sl_queue_detach(); `run` (NULL: none) is stored with the end. */
int sl_ledger_finish(struct sl_ledger *ledger, uint64_t job, const char *device, int cause,
                     const char *detail, const struct sl_run_record *run);
int sl_ledger_detach(struct sl_ledger *ledger, uint64_t job, const char *device, bool detached);
/* Has the job, or those of the group (0: none), cancelled by the hosts that have them: the
 * store is asked until it has that down. */
int sl_ledger_pass_cancel_on(struct sl_ledger *ledger, uint64_t job, uint64_t group);
/* An open job of any host, as far as is known here; NULL: it is not open. */
const struct sl_job_record *sl_ledger_find(const struct sl_ledger *ledger, uint64_t job);
/* A row of the store, read for another reason: what does it mean here? */
void sl_ledger_row(struct sl_ledger *ledger, const struct sl_job_record *row);

bool sl_ledger_busy(const struct sl_ledger *ledger);
void sl_ledger_close(struct sl_ledger *ledger);
/* After answered() said that it is not busy. */
void sl_ledger_fini(struct sl_ledger *ledger);

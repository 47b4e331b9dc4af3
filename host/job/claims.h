/* host/job/claims.h: what the queue gave to a device, made true in the store: several hosts may
 * have done so with one job, and one of them gets it. Where the store does not answer, it is asked
 * again until it does: the claim may hold all the same. On the loop's thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

struct sl_claim;
struct sl_job_record;
struct sl_store;

struct sl_claims_events {
    /* The job is this host's, as it stands in the store. Borrowed for the call. */
    void (*claimed)(void *user, const struct sl_job_record *job, const char *config_json);
    /* The job has become another host's, or has ended. */
    void (*lost)(void *user, uint64_t job, const char *device);
    /* The store has not said yet: the device has to wait. */
    void (*waits)(void *user, uint64_t job, const char *device);
    /* After each answer of the store, and after the close. */
    void (*answered)(void *user);
};

/* Read only. */
struct sl_claims {
    struct sl_store *store; /* borrowed */
    struct sl_claims_events events;
    void *user;
    uv_timer_t retry;
    struct sl_claim *all; /* owned; not answered yet */
    unsigned with_store;  /* of them with the store */
    bool open, closing;
};

void sl_claims_init(struct sl_claims *claims, uv_loop_t *loop, struct sl_store *store,
                    const struct sl_claims_events *events, void *user);
/* The record is as the queue gave it out. 0 or -ENOMEM. */
int sl_claims_make(struct sl_claims *claims, const struct sl_job_record *job);
/* Is the job's claim not answered yet? */
bool sl_claims_has(const struct sl_claims *claims, uint64_t job);

/* True until it is closed and everything has been answered. */
bool sl_claims_busy(const struct sl_claims *claims);
void sl_claims_close(struct sl_claims *claims);

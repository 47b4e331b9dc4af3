/* host/store/batch.h: requests that waited together, carried out as one transaction: one sync for
 * all of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sl_database;
struct sl_numbers;
struct sl_request;
struct sl_store_host;

struct sl_batch_place {
    struct sl_database *db;
    struct sl_numbers *numbers;       /* NULL: the database alone keeps them */
    const struct sl_store_host *host; /* that asks */
    /* Waits; false: give up. Of databases with a server alone. */
    bool (*pause)(void *user, unsigned ms);
    void *user;
    bool failing;     /* the batch before failed: reading alone does not show that this is over */
    bool reconnected; /* out: a connection was lost, and there is another */
    char *why;        /* out: words for what is returned */
    size_t why_bytes;
};

/* Leaves the outcomes in the requests: a failed one fails alone, a commit that fails takes every
 * write of the batch with it. A connection that is lost is made anew for a while, and what was not
 * committed is carried out once more; what moves files is not, and fails with -ENOTCONN. Returns 0,
 * or what keeps the database from its work. */
int sl_batch_execute(struct sl_batch_place *place, struct sl_request *batch);

/* Carries out one request that only reads, whoever asks. 0, or what keeps the database from it:
 * then the request is as it failed. */
int sl_batch_read(struct sl_database *db, struct sl_request *request);

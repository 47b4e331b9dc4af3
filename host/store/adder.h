/* host/store/adder.h: further connections to a server that add jobs, from the loop and without
 * waiting, while the store's own thread and connection do everything else. The server syncs for
 * all of them. The loop's. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { SL_ADDER_LINES = 2 }; /* connections */

typedef struct uv_loop_s uv_loop_t;
struct sl_adder;
struct sl_database;
struct sl_request;
struct sl_store_host;

struct sl_adder_options {
    const char *where;               /* a server's URL; borrowed */
    const struct sl_database *store; /* by which it has its identity and family; borrowed */
    const struct sl_store_host *host;
    /* Gives an added job back. */
    void (*added)(void *user, struct sl_request *request);
    /* Gives back a job that was not added or may have been added; `again` says which. */
    void (*failed)(void *user, struct sl_request *request);
    /* A connection is there: others may have added jobs before. */
    void (*connected)(void *user);
    void (*took)(void *user, uint64_t took_ns); /* a transaction that succeeded */
    void *user;
};

/* Begins to connect. 0 or -ENOMEM. */
int sl_adder_new(uv_loop_t *loop, const struct sl_adder_options *options, struct sl_adder **out);

/* Is there a connection? */
bool sl_adder_is_there(const struct sl_adder *adder);

/* Takes the request over until it gives it back, never inside the call: a job that may be added
 * twice, since it gets a key. */
void sl_adder_add(struct sl_adder *adder, struct sl_request *request);

/* Gives back what it has not sent, and waits for the rest: `closed` comes last. */
void sl_adder_close(struct sl_adder *adder, void (*closed)(void *user), void *user);

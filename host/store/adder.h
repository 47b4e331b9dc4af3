/* host/store/adder.h: a second connection to a server, on a thread of its own, that adds jobs while
 * the store's own connection waits for a commit: the server syncs for both. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sl_adder;
struct sl_request;
struct sl_store_host;

struct sl_adder_options {
    const char *where;  /* a server's URL; borrowed */
    const char *family; /* database.h; borrowed */
    const struct sl_store_host *host;
    bool (*pause)(void *user, unsigned ms); /* batch.h */
    /* On the adder's thread, which may be given the next ones within the call. `rc` and `why` are
     * sl_batch_execute()'s. */
    void (*done)(void *user, struct sl_request *batch, int rc, const char *why, uint64_t took_ns);
    void *user;
};

/* It connects when it is first wanted. 0 or a negative code. */
int sl_adder_start(const struct sl_adder_options *options, struct sl_adder **out);

/* Can it be given requests? Where it has no connection yet it begins to make one; after a failure
 * not before a while is over. */
bool sl_adder_is_free(struct sl_adder *adder);

/* Gives them to a free one. */
void sl_adder_give(struct sl_adder *adder, struct sl_request *batch);

/* Waits for what it was given. NULL is a no-op. */
void sl_adder_stop(struct sl_adder *adder);

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

/* The adder connects when it is first wanted. 0 or a negative code. */
int sl_adder_start(const struct sl_adder_options *options, struct sl_adder **out);

/* Is the adder connected and without a batch? If it has no connection, the call makes it begin one,
 * but not soon after a failure. */
bool sl_adder_is_free(struct sl_adder *adder);

/* Gives `batch` to the adder, which must be free. */
void sl_adder_give(struct sl_adder *adder, struct sl_request *batch);

/* Waits for what it was given. NULL is a no-op. */
void sl_adder_stop(struct sl_adder *adder);

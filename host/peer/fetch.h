/* host/peer/fetch.h: a runner before another one: files that a job needs and that are not here are
 * fetched from the hosts of the store that have them, before the job begins.
 *
 * On the loop's thread. What nobody has is missing when the run looks for it, which is the lab's
 * failure then. */
#pragma once

#include <stdint.h>

#include "host/job/runner.h"

typedef struct uv_loop_s uv_loop_t;
struct sl_blob_fetch;
struct sl_keeper;
struct sl_peer_calls;

enum {
    SL_BLOB_FETCH_ROUNDS = 3, /* so often all hosts are asked for a file that they say they lack */
    SL_BLOB_FETCH_LEASES = 2, /* so long at least, where one of them could not be asked */
    SL_BLOB_FETCH_PAUSE_MS = 2000,
    SL_BLOB_FETCH_LEAST_RATE = 16 << 10 /* bytes/s: a slower host is asked anew */
};

struct sl_blob_fetch_setup {
    struct sl_peer_calls *calls; /* borrowed */
    struct sl_runner inner;      /* that does the jobs */
    const char *state_dir;
    uint64_t max_bytes; /* of a file */
    uint32_t lease_ms;
};

/* 0, -ENAMETOOLONG or -ENOMEM. */
int sl_blob_fetch_new(uv_loop_t *loop, const struct sl_blob_fetch_setup *setup,
                      struct sl_blob_fetch **out);
/* Returns the calls for the lab, which is to be named before it says that it is open, with the
 * keeper of the disk's bounds (NULL: there are none). */
struct sl_runner sl_blob_fetch_runner(struct sl_blob_fetch *fetch);
void sl_blob_fetch_serve(struct sl_blob_fetch *fetch, struct sl_lab *lab, struct sl_keeper *keeper);

/* Before the calls and the inner runner are closed, which is asked nothing from then on. Jobs whose
 * files are under way are a later daemon's; `closed` comes last. */
void sl_blob_fetch_close(struct sl_blob_fetch *fetch, void (*closed)(void *user), void *user);

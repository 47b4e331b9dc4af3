/* agent/runtime/workers.h: threads that run the parts of one job at a time beside their caller.
 *
 * The first free thread takes the next part. Between jobs workers look for the next one for some
 * microseconds, then sleep. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_WORKERS_MAX = 64 };

struct sl_workers; /* used by the thread that made it */

struct sl_workers_config {
    uint32_t count;     /* the caller included: 2 to SL_WORKERS_MAX */
    uint32_t streaming; /* how many of them may work in SME's streaming mode; 0: all */
    /* The CPUs that worker 0 (the caller), 1, .. stay on, over again when there are fewer; borrowed
     * until sl_workers_new() returns. 0: the system chooses. */
    const uint16_t *cpus;
    size_t cpu_count;
};

/* Starts the threads and pins them. Returns 0, -ENOMEM, or -errno of the thread or the CPU that
 * could not be had. */
int sl_workers_new(const struct sl_workers_config *config, struct sl_workers **out_workers);
/* Ends the threads; NULL is a no-op. */
void sl_workers_free(struct sl_workers *workers);

/* How many work at once, the caller included; 1 when `workers` is NULL. */
uint32_t sl_workers_count(const struct sl_workers *workers, bool streaming);
/* The CPU that a worker but the caller (from 1) stays on; -1: any. */
int sl_workers_cpu(const struct sl_workers *workers, uint32_t worker);

/* Runs on the calling thread or a worker; of all that run at once each has its own `seat`, below
 * the job's number of seats. */
typedef void (*sl_workers_fn)(void *user, uint32_t part, uint32_t seat);

/* Calls `run` once for each part below `parts`, on at most `seats` threads at once, and returns
 * when all are done. What a part wrote is seen by the caller then. */
void sl_workers_run(struct sl_workers *workers, uint32_t seats, uint32_t parts, sl_workers_fn run,
                    void *user);

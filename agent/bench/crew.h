/* agent/bench/crew.h: some workers that run one loop at the same time, each on a core of its own.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_peak;

enum { SL_CREW_MAX_WORKERS = 64 };

/* Runs `turns` turns in every one of `workers` threads (at most SL_CREW_MAX_WORKERS), `rounds`
 * times, each with `memory_bytes` of its own; *out_ns is the shortest time from the first start to
 * the last end of a round. 0, -ENOMEM or -EAGAIN. */
int sl_crew_run(const struct sl_peak *peak, size_t turns, unsigned workers, unsigned rounds,
                size_t memory_bytes, uint64_t *out_ns);

/* Pins the calling thread to the core of the worker of this number, if there is one. */
void sl_crew_pin(unsigned worker);

/* How many cores this process may run on. */
unsigned sl_crew_cores(void);

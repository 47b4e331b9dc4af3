/* agent/run/threads.h: how many threads a run has, and on which CPUs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/runtime/affinity.h"
#include "agent/runtime/workers.h"

struct sl_diag;
struct sl_probe_cores;

/* The threads that --cpu_threads, --sme-threads and --affinity ask for. */
struct sl_threads {
    uint32_t count;                  /* 1: all on the caller's thread */
    uint32_t streaming;              /* of them in streaming mode; 0: all */
    uint32_t efficient_cores;        /* of the device, that the heuristic leaves out */
    uint16_t cpus[SL_AFFINITY_CPUS]; /* fastest first; empty without --affinity */
    size_t cpu_count;
};

struct sl_threads_asked {
    int32_t cpu_threads;  /* -1: as many as there are performance cores; 0 and less: as CPUs */
    uint32_t sme_threads; /* 0: all */
    uint32_t place;       /* of several processes: each takes the next CPUs */
    const char *affinity; /* "": none; big, little, all, 0xMASK, or a list such as 4-7,2 */
};

/* `allowed` says which CPUs this process may run on. Returns 0, SL_E_FORMAT, SL_E_LIMIT or
 * SL_E_NOT_FOUND with words. */
int sl_threads_decide(const struct sl_threads_asked *asked, const struct sl_probe_cores *cores,
                      const bool allowed[SL_AFFINITY_CPUS], struct sl_threads *out,
                      struct sl_diag *diag);

/* Sets the CPUs of a mask such as 0xf0 or a list such as 4-7,2; false for other words. */
bool sl_threads_parse_cpus(const char *word, bool listed[SL_AFFINITY_CPUS]);

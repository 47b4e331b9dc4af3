/* agent/serve/away.h: keeps the agent's own threads off the CPUs that are measured. */
#pragma once

#include <stdbool.h>

#include "agent/runtime/affinity.h"

enum { SL_AWAY_BYTES = 256 };

struct sl_away {
    bool gone;
    bool was[SL_AFFINITY_CPUS]; /* the CPUs of the caller before */
};

/* Moves the calling thread, and those that it begins from then on, off the CPUs that an affinity
 * ("": none, as for `run --affinity`) names, where others are left to it. Processes that are there
 * already stay where they are. */
void sl_away_go(struct sl_away *away, const char *affinity);

/* Back to where it was; without sl_away_go() a no-op. */
void sl_away_return(struct sl_away *away);

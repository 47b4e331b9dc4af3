/* agent/run/looks.h: how many pairs a run measures: as many as were asked for, or until the host
 * has seen enough of them, or until the budget of time is spent. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sl_run;

/* What ended the measuring. */
enum sl_run_ended {
    SL_RUN_ENDED_PAIRS,  /* all pairs that were asked for */
    SL_RUN_ENDED_HOST,   /* the ring's owner has seen enough */
    SL_RUN_ENDED_BUDGET, /* no time is left */
};

struct sl_run_looks {
    uint64_t start_ns;  /* of measuring */
    uint64_t next_hold; /* pairs before which the owner's word is waited for; 0: never */
    int ended;          /* enum sl_run_ended */
};

void sl_run_looks_init(struct sl_run *run, struct sl_run_looks *looks);

/* Is pair `pair` (from 0) to be measured? Waits for the ring's owner where it is asked. Outside
 * measured windows only. */
bool sl_run_looks_go_on(struct sl_run *run, struct sl_run_looks *looks, uint32_t pair);

/* host/analysis/rounds.h: which runs of an ETDump of several processes are warm-up, and which
 * belong together. Each process is a round: so many warm-ups, then what is measured. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_ROUNDS_MAX = 200, SL_ROUNDS_DEFAULT = 20 }; /* 20: a paired interval wants no fewer */

struct sl_rounds {
    uint32_t warmup;                    /* executions of each process before those measured */
    size_t count;                       /* 0: not known */
    uint32_t executions[SL_ROUNDS_MAX]; /* of each process, warm-up among them */
    bool together; /* other sides' rounds of the same numbers ran next to these */
};

/* `measured` executions in all (at least 1), as evenly as can be; fewer rounds than asked for where
 * there are fewer executions. */
void sl_rounds_plan(uint32_t measured, uint32_t warmup, uint32_t rounds, struct sl_rounds *out);

/* Of all rounds. */
uint64_t sl_rounds_executions(const struct sl_rounds *rounds);

/* The round of an execution, counted from 0 in the order of the file; UINT32_MAX behind the last.
 */
uint32_t sl_rounds_find(const struct sl_rounds *rounds, uint32_t execution, bool *out_warmup);

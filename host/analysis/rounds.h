/* host/analysis/rounds.h: which runs of an ETDump of several processes are warm-up, and which
 * belong together. Each process is a round: so many warm-ups, then what is measured. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_ROUNDS_MAX = 200 };

struct sl_rounds {
    uint32_t warmup;                    /* executions of each process before those measured */
    size_t count;                       /* 0: not known */
    uint32_t executions[SL_ROUNDS_MAX]; /* of each process, warm-up among them */
    bool together; /* other sides' rounds of the same numbers ran next to these */
};

/* The executions of all rounds. */
uint64_t sl_rounds_executions(const struct sl_rounds *rounds);

/* The round of an execution, counted from 0 in the order of the file; UINT32_MAX behind the last.
 */
uint32_t sl_rounds_find(const struct sl_rounds *rounds, uint32_t execution, bool *out_warmup);

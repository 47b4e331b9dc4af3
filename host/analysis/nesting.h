/* host/analysis/nesting.h: who holds whom among the events of one run, and what each did itself.
 *
 * Events nest by time within (chain, instruction), children before parents in the file. Roots of
 * every instruction belong to the Method::execute that ends after them. The self times of a run sum
 * to the durations of its outermost Method::execute events, whatever the file holds; a self time
 * that foreign data makes negative stays negative. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_etdump_run;

enum { SL_NESTING_NONE = -1 };

struct sl_nested_event {
    int64_t duration, self; /* in the file's unit; sums are modulo 2^64 */
    uint64_t start, end;    /* on a clock that does not wrap */
    int64_t chain;
    int32_t instruction;
    int32_t parent;       /* index of the event that holds it, or SL_NESTING_NONE */
    int32_t below;        /* while nesting: the event under it in its instruction's stack */
    bool profile;         /* the others (allocations, tensors) have no time and no parent */
    bool delegated;       /* carries a delegate's identifier */
    bool holds_delegated; /* an event of a delegate lies directly in it */
    bool execute;         /* Method::execute */
    bool delegate_call;   /* DELEGATE_CALL */
};

/* Scratch memory that a caller keeps from run to run. All zero at first. */
struct sl_nesting {
    struct sl_nested_event *events; /* [event_count] of the last run */
    size_t capacity;
    struct sl_nesting_group *groups; /* open addressing; a power of two */
    size_t group_capacity;
    uint32_t generation;
};

/* The oddities in a run's data. Each is a warning; the identity holds regardless. */
struct sl_nesting_result {
    int64_t end_to_end;     /* sum of outermost Method::execute, or of roots if there is none */
    uint32_t executes;      /* outermost Method::execute events */
    uint32_t negative_self; /* events with a negative self time */
    uint32_t strays;        /* events that lie outside of what they were put under */
    uint32_t wrapped;       /* events whose 32-bit clock wrapped */
    uint32_t backwards;     /* events that end before they begin, and no wrap explains it */
    int32_t worst;          /* event with the most negative self time, or SL_NESTING_NONE */
};

/* Fills nesting->events for `run`. Returns 0, SL_E_LIMIT (more than INT32_MAX events) or -ENOMEM.
 */
int sl_nesting_build(struct sl_nesting *nesting, const struct sl_etdump_run *run,
                     struct sl_nesting_result *out);
void sl_nesting_fini(struct sl_nesting *nesting);

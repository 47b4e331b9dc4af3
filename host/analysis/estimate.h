/* host/analysis/estimate.h: an estimate of the time that executed blocks would take on silicon.
 *
 * Executed blocks are gathered in stages: what runs between two switches of streaming mode. Inside
 * a stage, a block takes what its busiest port takes; the stage takes a time between the sum of
 * these (nothing overlaps) and the total of its busiest port (everything does). Caches by address,
 * contention and changes of frequency are not seen. All times are nanoseconds. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/analysis/insn_work.h"

struct sl_block_work;
struct sl_silicon;

enum sl_port {
    SL_PORT_OUTER, /* the first five are one pipe of the unit: their sum counts */
    SL_PORT_ZA_MAC,
    SL_PORT_ZA_MOVE,
    SL_PORT_VECTOR,
    SL_PORT_PREDICATE,
    SL_PORT_UNIT_LOAD,
    SL_PORT_UNIT_STORE,
    SL_PORT_ISSUE, /* from here on the core's */
    SL_PORT_ALU,
    SL_PORT_LOAD,
    SL_PORT_STORE,
    SL_PORT_NEON,
    SL_PORT_DIVIDE,
    SL_PORT_BRANCH,
    SL_PORT_DEPENDENCE, /* sums that wait for the last one */
    SL_PORT_COUNT
};

enum sl_bound {
#define SL_BOUND(id, name) SL_BOUND_##id,
#include "host/analysis/estimate.inc"
#undef SL_BOUND
    SL_BOUND_COUNT
};

/* One execution of a block. */
struct sl_block_cost {
    double port_ns[SL_PORT_COUNT];
    double most_ns;
    int bound; /* enum sl_bound */
};

struct sl_estimate_stage {
    bool streaming;
    double port_ns[SL_PORT_COUNT], most_ns;
    double bound_ns[SL_BOUND_COUNT]; /* `most_ns` by what bounds the blocks */
    uint64_t units[SL_WORK_COUNT], insns;
};

struct sl_estimate {
    double low_ns, mid_ns, high_ns; /* low <= mid <= high; set by finish() */
    /* Over all stages: times without overheads, of one pass after finish(); `bound_ns` then sums to
     * `mid_ns`. Numbers of instructions are of all passes. */
    struct sl_estimate_stage sum;
    uint64_t unclassified, sessions, round_trips; /* of all passes */
    double least_ns, middle_ns;                   /* as `sum.most_ns`, where more overlaps */
    int bound;                                    /* the largest of `sum.bound_ns` */
    char confidence;                              /* the lowest among the figures that matter */
};

/* Bytes that are read or written, and those among which they lie until they are touched again: the
 * smallest level of memory that holds `footprint` serves them. */
struct sl_estimate_traffic {
    double bytes, footprint;
};

/* The known facts besides the instructions. */
struct sl_estimate_data {
    const struct sl_estimate_traffic *traffic; /* NULL: not known, nothing waits for memory */
    size_t traffic_count;
    double hand_over_bytes; /* that the core wrote last and the unit reads */
    double calls;           /* of the code in a pass: each costs an overhead */
    double passes;          /* that the stages hold; the estimate is of one */
};

/* `streaming`: the block runs in streaming mode, where the unit executes scalar floats as well. */
void sl_block_cost_make(const struct sl_silicon *silicon, const struct sl_block_work *work,
                        bool streaming, struct sl_block_cost *out);

/* Adds `times` executions. `stage` begins as zero but for `streaming`. */
void sl_estimate_stage_add(struct sl_estimate_stage *stage, const struct sl_block_work *work,
                           const struct sl_block_cost *cost, uint64_t times);

/* Adds a stage that happened `times` times. `estimate` begins as zero. */
void sl_estimate_add(struct sl_estimate *estimate, const struct sl_silicon *silicon,
                     const struct sl_estimate_stage *stage, uint64_t times);

/* After the last stage: overheads, memory, band, bound and confidence. */
void sl_estimate_finish(struct sl_estimate *estimate, const struct sl_silicon *silicon,
                        const struct sl_estimate_data *data);

const char *sl_bound_name(int bound);
const char *sl_port_name(int port);

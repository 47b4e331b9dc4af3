/* host/analysis/reach.h: what a run could reach if each operator took our best kernel for its
 * shape, and what its device allows at most. Pure: measuring is the caller's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/analysis/workload.h"

struct sl_attribution;
struct sl_operator;
struct sl_position;

/* A shape of `sl_workload`, measured with the fastest kernel that takes it. */
struct sl_reach_bench {
    char shape[SL_WORKLOAD_BENCH_BYTES];
    char kernel[128];    /* "": none takes it */
    uint64_t cost;       /* ns or instructions, once; weights packed before */
    uint64_t right_pack; /* what packing the right operand costs */
    uint64_t least;      /* multiply-accumulate instructions it cannot do without; 0: not known */
    uint64_t least_neon; /* instructions that no kernel without SME2 does it in less of */
};

/* The most that the device does in a second; 0: not known. */
struct sl_reach_roof {
    double macs_f32, macs_f16, macs_bf16, macs_s8, bytes;
};

/* One place of a run. `best` and `roof` are NAN where nothing is known. */
struct sl_reach_row {
    const struct sl_operator *op; /* borrowed from the attribution */
    const struct sl_position *at;
    struct sl_workload work;
    const struct sl_reach_bench *bench; /* borrowed; NULL: not measured */
    double now;                         /* mean per run, own work */
    double best;                        /* our best kernel's */
    double gain;                        /* now less best, if that is more than 0 */
    double least;                       /* of its multiply-accumulates alone; 0: not known */
    double roof;                        /* ns that the device's rates allow at least */
};

struct sl_reach {
    struct sl_reach_row *rows; /* owned; in the order of the run, then largest gain first */
    size_t count;
    double whole;     /* end to end now, mean per run */
    double measured;  /* what the rows with a measured kernel take of it */
    double reachable; /* the whole with the best kernel wherever that is cheaper */
    double roof;      /* the whole if every row with a roof reached it */
};

/* Lists the places with an operator of a run whose shapes are known: those inside delegates and
 * those outside. No rows where runs differ in their events. 0 or -ENOMEM; end with
 * sl_reach_fini(). */
int sl_reach_list(const struct sl_attribution *attribution, struct sl_reach *out);

/* Takes what was measured and sums; `comparable` says that it is of the attribution's unit, else
 * nothing is gained and nothing reachable. `roof` NULL: none. Borrows the benches. */
void sl_reach_take(struct sl_reach *reach, const struct sl_reach_bench *benches, size_t count,
                   bool comparable, const struct sl_reach_roof *roof);
void sl_reach_fini(struct sl_reach *reach);

/* agent/bench/stage.h: runs one stage of a kernel and prints what is known of it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sl_bench_shape;
struct sl_bench_team;
struct sl_buf;

struct sl_bench_stage_run {
    const struct sl_bench_shape *shape;
    const char *text; /* the shape as it was written */
    const char *kernel;
    bool counted;    /* under the marks, once; otherwise the best of some rounds, in ns */
    double most_ulp; /* of a unary operator's results; 0: exact, or nothing is said of it */
    struct sl_bench_team *team; /* that runs it; NULL: this thread alone */
    unsigned worker;            /* of the team */
    struct sl_buf *out;         /* a JSON object a stage is appended, one a line */
    int error;                  /* the first failure sticks */
};

/* `run` does the stage on `data`; it may be called several times. Stages are printed in the order
 * of these calls, and each is one pair of begin and end marks. */
void sl_bench_stage(struct sl_bench_stage_run *bench, const char *stage, void (*run)(void *data),
                    void *data);

/* A team runs the stages of a shape in several threads at once, each with operands of its own, in
 * step: it shows what a kernel keeps of its speed when others want the same units and memory. */

/* Runs all stages with `bench`, in the same order on every thread. 0 or a negative code. */
typedef int (*sl_bench_team_fn)(void *data, struct sl_bench_stage_run *bench);

/* Runs `work` in `workers` threads (1 to SL_CREW_MAX_WORKERS), each with a copy of `bench`; what
 * the first prints goes to bench->out. 0, or the first failure. */
int sl_bench_team_run(unsigned workers, const struct sl_bench_stage_run *bench,
                      sl_bench_team_fn work, void *data);

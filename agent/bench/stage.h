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

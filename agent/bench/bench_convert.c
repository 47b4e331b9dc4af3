/* agent/bench/bench_convert.c: conversions from one element type to another. */
#include <stdio.h>
#include <string.h>

#include "agent/bench/kernels.h"
#include "agent/bench/operands.h"
#include "agent/bench/shape.h"
#include "agent/bench/stage.h"
#include "kernels/convert/convert.h"

struct conversion {
    const struct sl_convert *kernel;
    struct sl_convert_args args;
};

static void run(void *data)
{
    const struct conversion *c = data;
    c->kernel->run(&c->args);
}

/* Whether the kernel's name begins with the types of the shape. */
static int converts(const char *name, const struct sl_bench_shape *s)
{
    char begin[16 + SL_BENCH_MAX_OP];
    int len = snprintf(begin, sizeof(begin), "sl_convert_%s_", s->op);
    return len > 0 && strncmp(name, begin, (size_t)len) == 0;
}

int sl_bench_convert(const struct sl_bench_choice *choice, uint64_t seed,
                     struct sl_bench_stage_run *bench)
{
    struct conversion c = {.kernel = NULL};
    struct sl_bench_search search = {.choice = choice};
    struct sl_bench_operands operands = {.in = NULL};
    const struct sl_bench_sizes sizes = {.in = bench->shape->n, .out = bench->shape->n};
    const struct sl_convert *at;
    for (size_t i = 0; (at = sl_convert_at(i)); i++) {
        if (sl_bench_consider(&search, at->name, at->needs, converts(at->name, bench->shape)))
            c.kernel = at;
    }
    int rc = sl_bench_chosen(&search, &bench->kernel);
    if (rc == 0)
        rc = sl_bench_operands_init(&operands, &sizes, seed);
    if (rc == 0) {
        c.args = (struct sl_convert_args){.count = bench->shape->n,
                                          .in = operands.in,
                                          .out = operands.out,
                                          .in_scale = 0.0625f,
                                          .out_scale = 0.0078125f,
                                          .in_zero = 3,
                                          .out_zero = -5};
        sl_bench_stage(bench, "whole", run, &c);
    }
    sl_bench_operands_fini(&operands);
    return rc < 0 ? rc : bench->error;
}

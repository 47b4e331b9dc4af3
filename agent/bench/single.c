/* agent/bench/single.c */
#include "agent/bench/single.h"

#include <stdio.h>
#include <string.h>

#include "agent/bench/kernels.h"
#include "agent/bench/shape.h"
#include "agent/bench/stage.h"

int sl_bench_single_computes(const char *name, const struct sl_bench_shape *shape, size_t len)
{
    char begin[64];
    int size = snprintf(begin, sizeof(begin), "sl_%s_%.*s_", sl_bench_family_name(shape->family),
                        (int)len, shape->op);
    return size > 0 && strncmp(name, begin, (size_t)size) == 0;
}

int sl_bench_single_run(const struct sl_bench_search *search, struct sl_bench_single *single,
                        uint64_t seed, const char *stage, void (*run)(void *data),
                        struct sl_bench_stage_run *bench)
{
    const struct sl_bench_shape *s = single->shape;
    size_t out = sl_bench_shape_out(s);
    const struct sl_bench_sizes sizes = {sl_bench_shape_in(s),        s->n * s->k, s->k, out, 64,
                                         64 + 2 * out * sizeof(float)};
    int rc = sl_bench_chosen(search, &bench->kernel);
    if (rc < 0)
        return rc;
    rc = sl_bench_operands_init(&single->operands, &sizes, seed);
    if (rc == 0) {
        sl_bench_operands_narrow(&single->operands, &sizes, s->type);
        sl_bench_stage(bench, stage, run, single);
    }
    sl_bench_operands_fini(&single->operands);
    return rc < 0 ? rc : bench->error;
}

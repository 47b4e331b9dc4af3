/* agent/bench/stage.c */
#include "agent/bench/stage.h"

#include <stddef.h>

#include "agent/bench/shape.h"
#include "agent/bench/team.h"
#include "agent/trace/marks.h"
#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/json.h"

enum { ROUNDS = 20 };

static uint64_t alone_ns(void (*run)(void *data), void *data)
{
    uint64_t start = sl_clock_ns();
    run(data);
    return sl_clock_ns() - start;
}

/* The least disturbed of some rounds (statistics.md D-06). */
static uint64_t best_ns(const struct sl_bench_stage_run *bench, void (*run)(void *data), void *data)
{
    uint64_t best = UINT64_MAX;
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint64_t took = bench->team ? sl_bench_team_round(bench->team, bench->worker, run, data)
                                    : alone_ns(run, data);
        best = took < best ? took : best;
    }
    return best;
}

void sl_bench_stage(struct sl_bench_stage_run *bench, const char *stage, void (*run)(void *data),
                    void *data)
{
    struct sl_json json;
    uint64_t ns = 0;
    if (bench->counted) {
        sl_mark_begin();
        run(data);
        sl_mark_end();
    } else {
        run(data);
        ns = best_ns(bench, run, data);
    }
    sl_json_init(&json, bench->out);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "family", sl_bench_family_name(bench->shape->family));
    sl_json_text(&json, "type", sl_bench_type_name(bench->shape->type));
    sl_json_text(&json, "shape", bench->text);
    sl_json_text(&json, "kernel", bench->kernel);
    sl_json_u64(&json, "m", bench->shape->m);
    sl_json_u64(&json, "n", bench->shape->n);
    sl_json_u64(&json, "k", bench->shape->k);
    sl_json_u64(&json, "outputs", sl_bench_shape_out(bench->shape));
    sl_json_text(&json, "stage", stage);
    if (bench->counted)
        sl_json_null(&json, "ns");
    else
        sl_json_u64(&json, "ns", ns);
    if (bench->most_ulp > 0)
        sl_json_f64(&json, "most_ulp", bench->most_ulp);
    sl_json_close_object(&json);
    if (bench->error == 0)
        bench->error = json.error ? json.error : sl_buf_append(bench->out, "\n", 1);
}

/* agent/bench/stage.c */
#include "agent/bench/stage.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "agent/bench/crew.h"
#include "agent/bench/shape.h"
#include "agent/trace/marks.h"
#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/base/mem.h"

enum { MAX_OUTPUT_BYTES = 1 << 16 };

struct member {
    struct sl_bench_team *team;
    struct sl_bench_stage_run bench;
    struct sl_buf out;
    pthread_t thread;
    _Atomic uint64_t start_ns, end_ns; /* of the round; the others' between its two meetings */
    int rc;
};

struct sl_bench_team {
    unsigned workers;
    atomic_uint arrived; /* at all meetings together */
    atomic_bool quit;    /* somebody will not come any more */
    sl_bench_team_fn work;
    void *data;
    struct member members[SL_CREW_MAX_WORKERS];
};

/* Until all are here. */
static void meet(struct sl_bench_team *team)
{
    unsigned ticket = atomic_fetch_add(&team->arrived, 1);
    unsigned all = (ticket / team->workers + 1) * team->workers;
    while (atomic_load(&team->arrived) < all && !atomic_load(&team->quit))
        sched_yield();
}

/* One round of a stage, called by every thread: from the first start to the last end, in ns. */
static uint64_t team_round(struct sl_bench_team *team, unsigned worker, void (*run)(void *data),
                           void *data)
{
    struct member *self = &team->members[worker];
    meet(team);
    self->start_ns = sl_clock_ns();
    run(data);
    self->end_ns = sl_clock_ns();
    meet(team);
    uint64_t start = UINT64_MAX, end = 0;
    for (unsigned i = 0; i < team->workers; i++) {
        uint64_t from = team->members[i].start_ns, to = team->members[i].end_ns;
        start = from < start ? from : start;
        end = to > end ? to : end;
    }
    meet(team); /* nobody starts again before all have looked */
    return end - start;
}

static void *work(void *argument)
{
    struct member *self = argument;
    sl_crew_pin(self->bench.worker);
    self->rc = self->team->work(self->team->data, &self->bench);
    if (self->rc < 0)
        atomic_store(&self->team->quit, true);
    return NULL;
}

static int start(struct sl_bench_team *team, unsigned i, const struct sl_bench_stage_run *bench)
{
    struct member *member = &team->members[i];
    member->team = team;
    member->bench = *bench;
    member->bench.team = team;
    member->bench.worker = i;
    sl_buf_init(&member->out, MAX_OUTPUT_BYTES);
    member->bench.out = i == 0 ? bench->out : &member->out;
    return -pthread_create(&member->thread, NULL, work, member);
}

int sl_bench_team_run(unsigned workers, const struct sl_bench_stage_run *bench,
                      sl_bench_team_fn work_fn, void *data)
{
    struct sl_bench_team *team = sl_calloc(1, sizeof(*team));
    unsigned started = 0;
    int rc = 0;
    if (!team)
        return -ENOMEM;
    team->workers = workers;
    team->work = work_fn;
    team->data = data;
    for (; rc == 0 && started < workers; started += rc == 0)
        rc = start(team, started, bench);
    if (rc < 0)
        atomic_store(&team->quit, true);
    for (unsigned i = 0; i < started; i++) {
        pthread_join(team->members[i].thread, NULL);
        sl_buf_fini(&team->members[i].out);
        rc = rc == 0 ? team->members[i].rc : rc;
    }
    sl_free(team);
    return rc;
}

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
        uint64_t took =
            bench->team ? team_round(bench->team, bench->worker, run, data) : alone_ns(run, data);
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

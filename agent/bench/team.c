/* agent/bench/team.c */
#include "agent/bench/team.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "agent/bench/crew.h"
#include "agent/bench/peaks.h"
#include "agent/bench/stage.h"
#include "common/base/buf.h"
#include "common/base/clock.h"
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
    struct member members[SL_PEAKS_MAX_WORKERS];
};

/* Until all are here. */
static void meet(struct sl_bench_team *team)
{
    unsigned ticket = atomic_fetch_add(&team->arrived, 1);
    unsigned all = (ticket / team->workers + 1) * team->workers;
    while (atomic_load(&team->arrived) < all && !atomic_load(&team->quit))
        sched_yield();
}

uint64_t sl_bench_team_round(struct sl_bench_team *team, unsigned worker, void (*run)(void *data),
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

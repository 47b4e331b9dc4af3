/* agent/bench/crew.c */
#include "agent/bench/crew.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/probe/cores.h"
#include "agent/probe/device.h"
#include "agent/runtime/affinity.h"
#include "common/base/clock.h"
#include "common/base/mem.h"
#include "kernels/peak/peak.h"

enum { ALIGNMENT = 4096 };

struct crew;

struct worker {
    struct crew *crew;
    pthread_t thread;
    int core; /* -1: wherever */
    void *memory;
    uint64_t start_ns, end_ns; /* of the round; the crew's between its steps */
};

/* A round: all arrive, the chief says go, all run, all are done. */
struct crew {
    const struct sl_peak *peak;
    size_t turns, memory_bytes;
    unsigned rounds;
    atomic_uint arrived, round, done;
    atomic_bool quit;
    struct worker workers[SL_CREW_MAX_WORKERS];
};

unsigned sl_crew_cores(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    bool allowed[SL_AFFINITY_CPUS];
    unsigned count = 0;
    sl_affinity_read(allowed);
    for (size_t core = 0; core < SL_AFFINITY_CPUS; core++)
        count += allowed[core];
    if (count == SL_AFFINITY_CPUS) /* the system does not say */
        count = online > 0 ? (unsigned)online : 1;
    return count == 0 ? 1 : count > SL_CREW_MAX_WORKERS ? SL_CREW_MAX_WORKERS : count;
}

/* The cores that may be used, those of the fastest cluster first; -1 where there are no more. */
static void order_cores(int out[SL_CREW_MAX_WORKERS])
{
    bool allowed[SL_AFFINITY_CPUS];
    size_t count = 0;
    struct sl_probe_cores *cores = sl_malloc(1, sizeof(*cores));
    for (size_t i = 0; i < SL_CREW_MAX_WORKERS; i++)
        out[i] = -1;
    if (!cores)
        return;
    sl_affinity_read(allowed);
    sl_device_read_cores("", cores);
    for (size_t cluster = cores->cluster_count; cluster-- > 0;)
        for (size_t i = 0; i < cores->count && count < SL_CREW_MAX_WORKERS; i++)
            if (cores->core[i].cluster == cluster && allowed[cores->core[i].index])
                out[count++] = (int)cores->core[i].index;
    sl_free(cores);
}

/* A thread that cannot be pinned runs where the system puts it. */
static void pin(int core)
{
    if (core >= 0)
        (void)sl_affinity_pin((uint32_t)core);
}

void sl_crew_pin(unsigned worker)
{
    int cores[SL_CREW_MAX_WORKERS];
    order_cores(cores);
    pin(worker < SL_CREW_MAX_WORKERS ? cores[worker] : -1);
}

static void *work(void *argument)
{
    struct worker *self = argument;
    struct crew *crew = self->crew;
    pin(self->core);
    memset(self->memory, 1, crew->memory_bytes); /* its pages are near the core that uses them */
    for (unsigned round = 1; round <= crew->rounds; round++) {
        atomic_fetch_add(&crew->arrived, 1);
        while (atomic_load(&crew->round) < round && !atomic_load(&crew->quit))
            sched_yield();
        if (atomic_load(&crew->quit))
            break;
        self->start_ns = sl_clock_ns();
        crew->peak->run(&(struct sl_peak_job){crew->turns, self->memory});
        self->end_ns = sl_clock_ns();
        atomic_fetch_add(&crew->done, 1);
    }
    return NULL;
}

/* The chief's part of all rounds; the shortest of them. */
static uint64_t lead(struct crew *crew, unsigned workers)
{
    uint64_t best = UINT64_MAX;
    for (unsigned round = 1; round <= crew->rounds; round++) {
        while (atomic_load(&crew->arrived) < round * workers)
            sched_yield();
        atomic_store(&crew->round, round);
        while (atomic_load(&crew->done) < round * workers)
            sched_yield();
        uint64_t start = UINT64_MAX, end = 0;
        for (unsigned i = 0; i < workers; i++) {
            start = crew->workers[i].start_ns < start ? crew->workers[i].start_ns : start;
            end = crew->workers[i].end_ns > end ? crew->workers[i].end_ns : end;
        }
        best = end - start < best ? end - start : best;
    }
    return best;
}

int sl_crew_run(const struct sl_peak *peak, size_t turns, unsigned workers, unsigned rounds,
                size_t memory_bytes, uint64_t *out_ns)
{
    int rc = 0, cores[SL_CREW_MAX_WORKERS];
    unsigned started = 0;
    struct crew *crew = sl_calloc(1, sizeof(*crew));
    if (!crew)
        return -ENOMEM;
    crew->peak = peak;
    crew->turns = turns;
    crew->memory_bytes = memory_bytes;
    crew->rounds = rounds;
    order_cores(cores);
    for (; rc == 0 && started < workers; started += rc == 0) {
        struct worker *worker = &crew->workers[started];
        *worker = (struct worker){.crew = crew, .core = cores[started]};
        worker->memory = sl_aligned_alloc(ALIGNMENT, memory_bytes);
        rc = worker->memory ? 0 : -ENOMEM;
        if (rc == 0)
            rc = -pthread_create(&worker->thread, NULL, work, worker);
        if (rc < 0)
            sl_free(worker->memory);
    }
    if (rc == 0)
        *out_ns = lead(crew, workers);
    else
        atomic_store(&crew->quit, true);
    for (unsigned i = 0; i < started; i++) {
        pthread_join(crew->workers[i].thread, NULL);
        sl_free(crew->workers[i].memory);
    }
    sl_free(crew);
    return rc;
}

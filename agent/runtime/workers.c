/* agent/runtime/workers.c */
#include "agent/runtime/workers.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "agent/runtime/affinity.h"
#include "common/base/mem.h"

/* How often a thread looks before it sleeps: some tens of microseconds. */
enum { LOOKS = 4000 };

/* The gate says which job there is and who is at it: the job's number above, whether it is closed,
 * the seats taken below. */
#define SEAT_MASK UINT64_C(0xff)
#define CLOSED UINT64_C(0x100)
#define NEXT_JOB UINT64_C(0x200)
static_assert(SL_WORKERS_MAX < 0xff, "seats fit the gate");

/* Sleepers and who wakes them. A sleeper counts itself, then looks once more; a waker changes what
 * is looked at, then looks for sleepers: one of them sees the other. */
struct bell {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    _Atomic uint32_t sleepers;
};

struct worker {
    struct sl_workers *all;
    pthread_t thread;
    int cpu;            /* -1: any */
    _Atomic int pinned; /* 1: not yet known; then 0 or an error */
};

struct sl_workers {
    uint32_t count, streaming;
    uint32_t started; /* of workers 1 .. count - 1 */
    struct worker worker[SL_WORKERS_MAX];
    struct bell work, done;
    _Atomic uint64_t gate;
    _Atomic uint32_t next, left; /* parts taken; workers that left the job */
    _Atomic bool stopping;
    /* The job: written while the gate is closed and nobody is in. */
    uint32_t parts;
    sl_workers_fn run;
    void *user;
};

static void relax(void)
{
#if defined(__aarch64__)
    __asm__ volatile("yield");
#elif defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void ring(struct bell *bell)
{
    if (atomic_load(&bell->sleepers) == 0)
        return;
    pthread_mutex_lock(&bell->mutex);
    pthread_cond_broadcast(&bell->cond);
    pthread_mutex_unlock(&bell->mutex);
}

typedef bool (*ready_fn)(struct sl_workers *workers, uint64_t than);

/* Looks, then sleeps, until `ready`. */
static void wait_until(struct sl_workers *workers, struct bell *bell, ready_fn ready, uint64_t than)
{
    for (int i = 0; i < LOOKS; i++) {
        if (ready(workers, than))
            return;
        relax();
    }
    pthread_mutex_lock(&bell->mutex);
    atomic_fetch_add(&bell->sleepers, 1);
    while (!ready(workers, than))
        pthread_cond_wait(&bell->cond, &bell->mutex);
    atomic_fetch_sub(&bell->sleepers, 1);
    pthread_mutex_unlock(&bell->mutex);
}

static bool has_work(struct sl_workers *workers, uint64_t seen)
{
    return atomic_load(&workers->gate) / NEXT_JOB != seen || atomic_load(&workers->stopping);
}

static bool all_left(struct sl_workers *workers, uint64_t entered)
{
    return atomic_load(&workers->left) == entered;
}

static void take_parts(struct sl_workers *workers, uint32_t seat)
{
    uint32_t part;
    while ((part = atomic_fetch_add(&workers->next, 1)) < workers->parts)
        workers->run(workers->user, part, seat);
}

/* Goes in while the job is open and a seat is free; false when it is not. What the job is may be
 * read only inside: its number of seats is therefore in the seats counted as taken. */
static bool enter(struct sl_workers *workers, uint64_t *gate, uint32_t *out_seat)
{
    *gate = atomic_load(&workers->gate);
    do {
        if ((*gate & CLOSED) || (*gate & SEAT_MASK) == SEAT_MASK)
            return false;
    } while (!atomic_compare_exchange_weak(&workers->gate, gate, *gate + 1));
    *out_seat = (uint32_t)(SEAT_MASK - (*gate & SEAT_MASK));
    return true;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct sl_workers *workers = worker->all;
    uint64_t seen = 0, gate;
    uint32_t seat;
    atomic_store(&worker->pinned, worker->cpu < 0 ? 0 : sl_affinity_pin((uint32_t)worker->cpu));
    ring(&workers->done);
    for (;;) {
        wait_until(workers, &workers->work, has_work, seen);
        if (atomic_load(&workers->stopping))
            return NULL;
        bool inside = enter(workers, &gate, &seat);
        seen = gate / NEXT_JOB;
        if (!inside)
            continue;
        take_parts(workers, seat);
        atomic_fetch_add(&workers->left, 1);
        ring(&workers->done);
    }
}

static bool is_pinned(struct sl_workers *workers, uint64_t index)
{
    return atomic_load(&workers->worker[index].pinned) != 1;
}

static int start(struct sl_workers *workers, uint32_t index, int cpu)
{
    struct worker *worker = &workers->worker[index];
    worker->all = workers;
    worker->cpu = cpu;
    atomic_store(&worker->pinned, 1);
    int rc = pthread_create(&worker->thread, NULL, work, worker);
    if (rc != 0)
        return -rc;
    workers->started++;
    wait_until(workers, &workers->done, is_pinned, index);
    return atomic_load(&worker->pinned);
}

static void bell_init(struct bell *bell)
{
    pthread_mutex_init(&bell->mutex, NULL);
    pthread_cond_init(&bell->cond, NULL);
}

int sl_workers_new(const struct sl_workers_config *config, struct sl_workers **out_workers)
{
    int rc = 0;
    assert(config->count >= 2 && config->count <= SL_WORKERS_MAX);
    struct sl_workers *workers = sl_calloc(1, sizeof(*workers));
    if (!workers)
        return -ENOMEM;
    workers->count = config->count;
    workers->streaming = config->streaming != 0 && config->streaming < config->count
                             ? config->streaming
                             : config->count;
    atomic_store(&workers->gate, CLOSED);
    bell_init(&workers->work);
    bell_init(&workers->done);
    if (config->cpu_count != 0)
        rc = sl_affinity_pin(config->cpus[0]);
    for (uint32_t i = 1; i < config->count && rc == 0; i++)
        rc = start(workers, i, config->cpu_count ? config->cpus[i % config->cpu_count] : -1);
    if (rc != 0) {
        sl_workers_free(workers);
        return rc;
    }
    *out_workers = workers;
    return 0;
}

void sl_workers_free(struct sl_workers *workers)
{
    if (!workers)
        return;
    atomic_store(&workers->stopping, true);
    ring(&workers->work);
    for (uint32_t i = 1; i <= workers->started; i++)
        pthread_join(workers->worker[i].thread, NULL);
    pthread_cond_destroy(&workers->work.cond);
    pthread_cond_destroy(&workers->done.cond);
    pthread_mutex_destroy(&workers->work.mutex);
    pthread_mutex_destroy(&workers->done.mutex);
    sl_free(workers);
}

uint32_t sl_workers_count(const struct sl_workers *workers, bool streaming)
{
    return !workers ? 1 : streaming ? workers->streaming : workers->count;
}

int sl_workers_cpu(const struct sl_workers *workers, uint32_t worker)
{
    return worker >= 1 && worker <= workers->started ? workers->worker[worker].cpu : -1;
}

void sl_workers_run(struct sl_workers *workers, uint32_t seats, uint32_t parts, sl_workers_fn run,
                    void *user)
{
    assert(seats >= 1 && seats <= workers->count);
    workers->parts = parts;
    workers->run = run;
    workers->user = user;
    atomic_store(&workers->next, 0);
    atomic_store(&workers->left, 0);
    /* The seats that this job does not have count as taken, the caller's own too. */
    uint64_t job = (atomic_load(&workers->gate) / NEXT_JOB + 1) * NEXT_JOB;
    uint64_t taken = SEAT_MASK - (seats - 1);
    atomic_store(&workers->gate, job + taken);
    ring(&workers->work);
    take_parts(workers, 0);
    uint64_t gate = atomic_fetch_or(&workers->gate, CLOSED);
    wait_until(workers, &workers->done, all_left, (gate & SEAT_MASK) - taken);
}

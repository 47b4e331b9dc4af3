/* tests/unit/agent/runtime/test_workers.c */
#include "agent/runtime/affinity.h"
#include "agent/runtime/workers.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "common/base/mem.h"
#include "tests/support/test.h"

enum { PARTS = 37, JOBS = 500 };

struct job {
    uint32_t done[PARTS];
    _Atomic uint32_t at_once[SL_WORKERS_MAX]; /* by seat */
    _Atomic uint32_t clashes;
};

static void rest(void)
{
    const struct timespec time = {.tv_nsec = 2000000};
    nanosleep(&time, NULL);
}

static void note(void *user, uint32_t part, uint32_t seat)
{
    struct job *job = user;
    if (atomic_fetch_add(&job->at_once[seat], 1) != 0)
        atomic_fetch_add(&job->clashes, 1);
    job->done[part]++; /* plain: what a part wrote must be seen after run() */
    atomic_fetch_sub(&job->at_once[seat], 1);
}

static void check_jobs(struct sl_workers *workers, uint32_t seats)
{
    struct job job = {0};
    for (uint32_t i = 1; i <= JOBS; i++) {
        if (i % 200 == 0)
            rest(); /* workers sleep meanwhile */
        sl_workers_run(workers, seats, PARTS, note, &job);
        for (uint32_t p = 0; p < PARTS; p++)
            assert_int_equal(job.done[p], i);
    }
    assert_int_equal(job.clashes, 0);
    for (uint32_t s = seats; s < SL_WORKERS_MAX; s++)
        assert_int_equal(job.at_once[s], 0);
}

TEST(every_part_of_every_job_runs_once_on_a_seat_of_its_own)
{
    static const uint32_t counts[] = {2, 3, 7};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        struct sl_workers *workers = NULL;
        const struct sl_workers_config config = {.count = counts[i]};
        assert_int_equal(sl_workers_new(&config, &workers), 0);
        assert_int_equal(sl_workers_count(workers, false), counts[i]);
        check_jobs(workers, counts[i]);
        check_jobs(workers, 1);
        check_jobs(workers, 2);
        sl_workers_free(workers);
    }
}

static void note_seat(void *user, uint32_t part, uint32_t seat)
{
    _Atomic uint32_t *seats = user;
    (void)part;
    atomic_fetch_or(seats, 1u << seat);
    rest(); /* long enough for others to come */
}

/* The caller's seat waits for another, up to some seconds, so that all parts are not done before.
 */
static void note_seat_and_wait(void *user, uint32_t part, uint32_t seat)
{
    const _Atomic uint32_t *seats = user;
    note_seat(user, part, seat);
    for (int i = 0; i < 5000 && seat == 0 && part == 0 && (*seats & ~1u) == 0; i++)
        rest();
}

TEST(seats_beyond_the_jobs_own_stay_empty)
{
    struct sl_workers *workers = NULL;
    _Atomic uint32_t seats = 0;
    assert_int_equal(sl_workers_new(&(struct sl_workers_config){.count = 4}, &workers), 0);
    sl_workers_run(workers, 2, 16, note_seat, &seats);
    assert_int_equal(seats & ~3u, 0);
    seats = 0;
    sl_workers_run(workers, 4, 64, note_seat_and_wait, &seats);
    assert_true((seats & ~1u) != 0); /* somebody came to help */
    sl_workers_free(workers);
}

TEST(streaming_work_gets_fewer_threads_where_asked)
{
    struct sl_workers *workers = NULL;
    const struct sl_workers_config config = {.count = 4, .streaming = 2};
    assert_int_equal(sl_workers_new(&config, &workers), 0);
    assert_int_equal(sl_workers_count(workers, true), 2);
    assert_int_equal(sl_workers_count(workers, false), 4);
    sl_workers_free(workers);
    assert_int_equal(sl_workers_count(NULL, false), 1);
}

TEST(a_cpu_that_is_not_there_is_refused)
{
    struct sl_workers *workers = NULL;
    const uint16_t cpus[] = {SL_AFFINITY_CPUS - 1};
    const struct sl_workers_config config = {.count = 2, .cpus = cpus, .cpu_count = 1};
    assert_true(sl_workers_new(&config, &workers) < 0);
    assert_null(workers);
}

TEST(no_memory_is_no_pool)
{
    struct sl_workers *workers = NULL;
    sl_mem_fail_nth(1);
    assert_int_equal(sl_workers_new(&(struct sl_workers_config){.count = 2}, &workers), -ENOMEM);
    sl_workers_free(NULL);
}

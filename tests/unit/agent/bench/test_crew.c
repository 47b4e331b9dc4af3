/* tests/unit/agent/bench/test_crew.c */
#include "agent/bench/crew.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "common/base/mem.h"
#include "kernels/peak/peak.h"
#include "tests/support/test.h"

enum { WORKERS = 3, ROUNDS = 4, TURNS = 17, BYTES = 4096 };

static atomic_uint runs, turns, together, most_together;
static _Atomic(void *) memories[WORKERS * ROUNDS];

/* Long enough for the others to be seen. */
static void loop(const struct sl_peak_job *job)
{
    const struct timespec a_while = {.tv_nsec = 2000000};
    unsigned now = atomic_fetch_add(&together, 1) + 1, most = atomic_load(&most_together);
    while (now > most && !atomic_compare_exchange_weak(&most_together, &most, now))
        continue;
    atomic_store(&memories[atomic_fetch_add(&runs, 1)], job->memory);
    atomic_fetch_add(&turns, (unsigned)job->turns);
    ((char *)job->memory)[BYTES - 1] = 1;
    nanosleep(&a_while, NULL);
    atomic_fetch_sub(&together, 1);
}

static const struct sl_peak peak = {.name = "loop", .kind = SL_PEAK_NEAR, .run = loop};

TEST(every_worker_runs_every_round_with_memory_of_its_own)
{
    uint64_t ns = 0;
    size_t different = 0;
    atomic_store(&runs, 0);
    atomic_store(&turns, 0);
    assert_int_equal(sl_crew_run(&peak, TURNS, WORKERS, ROUNDS, BYTES, &ns), 0);
    assert_int_equal(atomic_load(&runs), WORKERS * ROUNDS);
    assert_int_equal(atomic_load(&turns), WORKERS * ROUNDS * TURNS);
    assert_true(ns >= 2000000);
    assert_true(atomic_load(&most_together) <= WORKERS);
    for (size_t i = 0; i < WORKERS; i++) { /* of the first round */
        size_t same = 0;
        for (size_t k = 0; k < WORKERS; k++)
            same += atomic_load(&memories[i]) == atomic_load(&memories[k]);
        different += same == 1;
    }
    assert_int_equal(different, WORKERS);
}

TEST(one_worker_needs_no_other)
{
    uint64_t ns = 0;
    atomic_store(&runs, 0);
    assert_int_equal(sl_crew_run(&peak, 1, 1, 1, BYTES, &ns), 0);
    assert_int_equal(atomic_load(&runs), 1);
    assert_true(sl_crew_cores() >= 1);
}

TEST(a_failed_allocation_is_said)
{
    uint64_t ns = 77;
    sl_mem_fail_nth(1);
    assert_int_equal(sl_crew_run(&peak, 1, 2, 1, BYTES, &ns), -ENOMEM);
    assert_int_equal(ns, 77);
    sl_mem_fail_nth(3);
    assert_int_equal(sl_crew_run(&peak, 1, 2, 1, BYTES, &ns), -ENOMEM);
    assert_int_equal(ns, 77);
}

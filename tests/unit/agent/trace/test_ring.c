/* tests/unit/agent/trace/test_ring.c */
#include "agent/trace/ring.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "tests/support/test.h"

static void put(struct sl_ring *ring, uint32_t value)
{
    struct sl_trace_record *record = sl_ring_slot(ring);
    assert_non_null(record);
    memset(record, 0, sizeof(*record));
    record->name = value;
    sl_ring_push(ring);
}

TEST(new_of_no_power_of_two_is_refused)
{
    struct sl_ring *ring = NULL;
    assert_int_equal(sl_ring_new(0, &ring), -EINVAL);
    assert_int_equal(sl_ring_new(3, &ring), -EINVAL);
    assert_int_equal(sl_ring_new(1 << 14, &ring), -EINVAL); /* with its head past the limit */
    assert_null(ring);
    assert_int_equal(sl_ring_new(1 << 13, &ring), 0);
    sl_ring_free(ring);
}

TEST(new_survives_each_failed_allocation)
{
    int rc = -ENOMEM;
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        struct sl_ring *ring = NULL;
        sl_mem_fail_nth(nth);
        rc = sl_ring_new(8, &ring);
        assert_int_equal(ring == NULL, rc != 0);
        sl_ring_free(ring);
    }
    sl_mem_fail_nth(0);
    assert_int_equal(rc, 0);
}

TEST(allowance_is_seen_by_the_other_side)
{
    struct sl_ring *ring = NULL;
    struct sl_ring *child = NULL;
    assert_int_equal(sl_ring_new(8, &ring), 0);
    assert_int_equal(sl_ring_open(sl_ring_fd(ring), &child), 0);
    assert_int_equal(sl_ring_allowed(child).pairs, 0);
    assert_false(sl_ring_allowed(child).last);
    sl_ring_allow(ring, (struct sl_ring_allowance){UINT32_MAX, true});
    assert_int_equal(sl_ring_allowed(child).pairs, UINT32_MAX);
    assert_true(sl_ring_allowed(child).last);
    sl_ring_free(child);
    sl_ring_free(ring);
}

TEST(full_ring_gives_no_slot_until_popped)
{
    struct sl_ring *ring = NULL;
    struct sl_trace_record out[8];
    assert_int_equal(sl_ring_new(4, &ring), 0);
    assert_int_equal(sl_ring_capacity(ring), 4);
    for (uint32_t i = 0; i < 4; i++)
        put(ring, i);
    assert_null(sl_ring_slot(ring));
    assert_int_equal(sl_ring_room(ring), 0);
    assert_int_equal(sl_ring_pop(ring, out, 3), 3);
    assert_int_equal(sl_ring_room(ring), 3);
    for (uint32_t i = 4; i < 7; i++)
        put(ring, i);
    assert_null(sl_ring_slot(ring));
    assert_int_equal(sl_ring_pop(ring, out, 8), 4); /* over the end of the slots */
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(out[i].name, 3 + i);
    assert_int_equal(sl_ring_pop(ring, out, 8), 0);
    sl_ring_free(ring);
}

TEST(second_mapping_sees_what_the_first_pushes)
{
    struct sl_ring *parent = NULL, *child = NULL;
    struct sl_trace_record out[4];
    assert_int_equal(sl_ring_new(4, &parent), 0);
    assert_int_equal(sl_ring_open(sl_ring_fd(parent), &child), 0);
    assert_int_equal(sl_ring_capacity(child), 4);
    put(child, 42);
    assert_int_equal(sl_ring_pop(parent, out, 4), 1);
    assert_int_equal(out[0].name, 42);
    assert_int_equal(sl_ring_room(child), 4);
    sl_ring_free(child);
    sl_ring_free(parent);
}

TEST(open_of_foreign_file_is_refused)
{
    struct sl_ring *ring = NULL;
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(sl_ring_open(fileno(file), &ring), SL_E_FORMAT); /* empty */
    assert_int_equal(ftruncate(fileno(file), 4096), 0);
    assert_int_equal(sl_ring_open(fileno(file), &ring), SL_E_FORMAT); /* no magic */
    assert_int_equal(ftruncate(fileno(file), SL_RING_MAX_BYTES + 1), 0);
    assert_int_equal(sl_ring_open(fileno(file), &ring), SL_E_FORMAT);
    assert_int_equal(sl_ring_open(-1, &ring), -EBADF);
    assert_null(ring);
    fclose(file);
}

/* The counters stand at bytes 64 and 128 of the mapping. */
TEST(impossible_counters_are_found)
{
    struct sl_ring *ring = NULL, *other = NULL;
    struct sl_trace_record out[4];
    assert_int_equal(sl_ring_new(4, &ring), 0);
    uint8_t *raw = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, sl_ring_fd(ring), 0);
    assert_ptr_not_equal(raw, MAP_FAILED);
    sl_store_u64(raw + 64, 1000); /* pushed */
    assert_int_equal(sl_ring_pop(ring, out, 4), SL_E_FORMAT);
    assert_int_equal(sl_ring_open(sl_ring_fd(ring), &other), SL_E_FORMAT);
    sl_store_u64(raw + 64, 0);
    sl_store_u64(raw + 128, 1000); /* popped: more than was pushed */
    assert_int_equal(sl_ring_room(ring), 0);
    for (int i = 0; i < 4; i++)
        put(ring, 0);
    assert_null(sl_ring_slot(ring));
    munmap(raw, 4096);
    sl_ring_free(ring);
}

enum { MANY = 200000 };

static void *produce(void *argument)
{
    struct sl_ring *ring = argument;
    for (uint32_t i = 0; i < MANY; i++) {
        struct sl_trace_record *record;
        while (!(record = sl_ring_slot(ring)))
            sched_yield();
        record->name = i;
        record->event.start = (uint64_t)i * 3;
        record->event.event = ~i;
        sl_ring_push(ring);
    }
    return NULL;
}

TEST(two_threads_lose_and_tear_nothing)
{
    struct sl_ring *ring = NULL;
    struct sl_trace_record out[100];
    pthread_t thread;
    assert_int_equal(sl_ring_new(64, &ring), 0);
    assert_int_equal(pthread_create(&thread, NULL, produce, ring), 0);
    for (uint32_t next = 0; next < MANY;) {
        long count = sl_ring_pop(ring, out, 100);
        assert_true(count >= 0);
        for (long i = 0; i < count; i++, next++) {
            assert_int_equal(out[i].name, next);
            assert_int_equal(out[i].event.start, (uint64_t)next * 3);
            assert_int_equal(out[i].event.event, ~next);
        }
        if (count == 0)
            sched_yield();
    }
    pthread_join(thread, NULL);
    assert_int_equal(sl_ring_pop(ring, out, 100), 0);
    sl_ring_free(ring);
}

struct sleeper {
    struct sl_ring *ring;
    _Atomic int woken;
};

static void *sleep_twice(void *argument)
{
    struct sleeper *sleeper = argument;
    for (int i = 1; i <= 2; i++) {
        sl_ring_wait(sleeper->ring);
        atomic_store(&sleeper->woken, i);
    }
    return NULL;
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

TEST(a_call_wakes_the_consumer_and_records_do_not)
{
    struct sleeper sleeper = {.woken = 0};
    struct sl_ring *producer = NULL;
    pthread_t thread;
    assert_int_equal(sl_ring_new(8, &sleeper.ring), 0);
    assert_int_equal(sl_ring_open(sl_ring_fd(sleeper.ring), &producer), 0);
    sl_ring_wake(producer); /* before it sleeps: not slept through */
    assert_int_equal(pthread_create(&thread, NULL, sleep_twice, &sleeper), 0);
    while (atomic_load(&sleeper.woken) != 1)
        pause_ms(1);
    put(producer, 1);
    pause_ms(50);
    assert_int_equal(atomic_load(&sleeper.woken), 1);
    sl_ring_wake(producer);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(atomic_load(&sleeper.woken), 2);
    sl_ring_free(producer);
    sl_ring_free(sleeper.ring);
}

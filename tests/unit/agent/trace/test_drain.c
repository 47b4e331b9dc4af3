/* tests/unit/agent/trace/test_drain.c */
#include "agent/trace/drain.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "agent/trace/recorder.h"
#include "agent/trace/ring.h"
#include "common/base/crc32c.h"
#include "common/format/sltrace.h"
#include "tests/support/test.h"

struct fixture {
    struct sl_ring *ring;
    struct sl_recorder *recorder;
    struct sl_drain *drain;
    FILE *file;
};

static void set_up(struct fixture *f, size_t ring_records)
{
    f->file = tmpfile();
    assert_non_null(f->file);
    assert_int_equal(sl_ring_new(ring_records, &f->ring), 0);
    assert_int_equal(sl_recorder_new(f->ring, SL_TRACE_NS, 1, &f->recorder), 0);
    assert_int_equal(sl_drain_new(f->ring, fileno(f->file), &f->drain), 0);
}

static void tear_down(struct fixture *f)
{
    sl_drain_free(f->drain);
    sl_recorder_free(f->recorder);
    sl_ring_free(f->ring);
    fclose(f->file);
}

static void record_blocks(struct fixture *f, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        sl_recorder_block(f->recorder, 0, 0, i, 0, false);
}

/* Checks every seal of the file and returns how many other records it holds, -1 if the last one is
 * not a seal. */
static long check_file(struct fixture *f, uint32_t expected_blocks)
{
    struct sl_trace_record record;
    uint32_t crc = 0, span = 0, blocks = 0;
    uint64_t offset = 0, span_at = 0;
    long others = 0;
    bool sealed = false;
    rewind(f->file);
    while (fread(&record, sizeof(record), 1, f->file) == 1) {
        sealed = record.kind == SL_TRACE_CRC;
        if (sealed) {
            assert_int_equal(record.crc.crc, crc);
            assert_int_equal(record.crc.records, span);
            assert_int_equal(record.crc.offset, span_at);
            crc = span = 0;
            span_at = offset + sizeof(record);
        } else {
            crc = sl_crc32c(crc, &record, sizeof(record));
            assert_true(++span <= SL_TRACE_CRC_SPAN);
            others++;
        }
        if (record.kind == SL_TRACE_BLOCK)
            assert_int_equal(record.block.iteration, blocks++);
        offset += sizeof(record);
    }
    assert_int_equal(offset, sl_drain_bytes(f->drain));
    assert_int_equal(blocks, expected_blocks);
    return sealed ? others : -1;
}

TEST(every_drain_ends_with_a_seal)
{
    struct fixture f;
    set_up(&f, 1024);
    record_blocks(&f, 600);
    assert_int_equal(sl_drain_now(f.drain), 0);
    assert_int_equal(check_file(&f, 600), 601);
    assert_int_equal(sl_drain_now(f.drain), 0); /* nothing new: no empty seal */
    assert_int_equal(check_file(&f, 600), 601);
    tear_down(&f);
}

TEST(thread_keeps_a_small_ring_moving)
{
    struct fixture f;
    set_up(&f, 32);
    assert_int_equal(sl_drain_start(f.drain), 0);
    record_blocks(&f, 2000);
    sl_recorder_finish(f.recorder);
    assert_int_equal(sl_drain_stop(f.drain), 0);
    assert_int_equal(check_file(&f, 2000), 2002);
    tear_down(&f);
}

TEST(thread_drains_when_it_is_called_and_not_before)
{
    struct fixture f;
    const struct timespec pause = {.tv_nsec = 1000000};
    set_up(&f, 1024);
    assert_int_equal(sl_drain_start(f.drain), 0);
    record_blocks(&f, 10);
    sl_ring_wake(f.ring);
    for (int i = 0; i < 5000 && sl_ring_room(f.ring) < 1024; i++)
        nanosleep(&pause, NULL);
    assert_int_equal(sl_ring_room(f.ring), 1024);
    record_blocks(&f, 10);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    assert_int_equal(sl_ring_room(f.ring), 1024 - 10);
    assert_int_equal(sl_drain_stop(f.drain), 0);
    assert_int_equal(sl_ring_room(f.ring), 1024);
    tear_down(&f);
}

#if defined(__linux__) /* elsewhere the thread looks */
TEST(thread_that_is_not_called_does_not_wake_up)
{
    enum { FEW = 20 }; /* each millisecond would be 300 */
    struct fixture f;
    struct rusage before, after;
    set_up(&f, 1024);
    assert_int_equal(sl_drain_start(f.drain), 0);
    record_blocks(&f, 100);
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    assert_in_range(after.ru_nvcsw - before.ru_nvcsw, 0, FEW);
    assert_int_equal(sl_drain_stop(f.drain), 0);
    assert_int_equal(check_file(&f, 100), 101);
    tear_down(&f);
}
#endif

TEST(failed_write_is_kept_and_the_ring_still_emptied)
{
    struct fixture f;
    struct sl_drain *broken = NULL;
    set_up(&f, 8);
    assert_int_equal(sl_drain_new(f.ring, -1, &broken), 0);
    assert_int_equal(sl_drain_now(broken), -EBADF);
    assert_int_equal(sl_ring_room(f.ring), 8);
    record_blocks(&f, 8);
    assert_int_equal(sl_drain_stop(broken), -EBADF);
    assert_int_equal(sl_ring_room(f.ring), 8);
    sl_drain_free(broken);
    tear_down(&f);
}

/* tests/unit/host/ingest/test_run_store.c */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/ingest/run_store.h"
#include "tests/support/test.h"

struct fixture {
    uv_loop_t loop;
    struct sl_ingest *store;
    char directory[64];
    int synced, failed, closed;
};

static void on_synced(void *user)
{
    ((struct fixture *)user)->synced++;
}

static void on_failed(void *user, int rc)
{
    ((struct fixture *)user)->failed = rc;
}

static void on_closed(void *user)
{
    ((struct fixture *)user)->closed++;
}

static void open_store(struct fixture *f)
{
    static const struct sl_ingest_events events = {on_synced, on_failed};
    f->synced = f->closed = 0;
    assert_int_equal(uv_loop_init(&f->loop), 0);
    assert_int_equal(sl_ingest_open(&f->loop, f->directory, &events, f, &f->store), 0);
}

static void close_store(struct fixture *f)
{
    sl_ingest_close(f->store, on_closed, f);
    uv_run(&f->loop, UV_RUN_DEFAULT);
    assert_int_equal(f->closed, 1);
    assert_int_equal(uv_loop_close(&f->loop), 0);
}

static int make(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){.directory = "/tmp/sl-run-store-XXXXXX"};
    if (!mkdtemp(fixture.directory))
        return -1;
    *state = &fixture;
    return 0;
}

static int clean(void **state)
{
    char command[128];
    struct fixture *f = *state;
    snprintf(command, sizeof(command), "rm -rf %s", f->directory);
    return system(command);
}

static void wait_synced(struct fixture *f, int times)
{
    while (f->synced < times && uv_run(&f->loop, UV_RUN_ONCE))
        ;
    assert_int_equal(f->synced, times);
}

TEST_WITH(nothing_is_acknowledged_before_it_is_synced, make, clean)
{
    struct fixture *f = *state;
    uint64_t offset = 0;
    open_store(f);
    assert_int_equal(sl_ingest_take(f->store, 0, 0, "abcdef", 6), 0);
    assert_false(sl_ingest_ack(f->store, 0, &offset));
    wait_synced(f, 1);
    assert_true(sl_ingest_ack(f->store, 0, &offset));
    assert_int_equal(offset, 6);
    assert_false(sl_ingest_ack(f->store, 0, &offset));
    close_store(f);
}

TEST_WITH(overlapping_stretches_are_stored_once_and_gaps_refused, make, clean)
{
    struct fixture *f = *state;
    char path[256];
    struct sl_buf bytes;
    open_store(f);
    assert_int_equal(sl_ingest_take(f->store, 1, 0, "abcd", 4), 0);
    assert_int_equal(sl_ingest_take(f->store, 1, 2, "cdef", 4), 0);
    assert_int_equal(sl_ingest_take(f->store, 1, 0, "ab", 2), 0);
    assert_int_equal(sl_ingest_take(f->store, 1, 7, "h", 1), SL_E_MISMATCH);
    close_store(f);
    sl_ingest_path(f->directory, 1, path, sizeof(path));
    assert_int_equal(sl_buf_read_file(path, 100, &bytes), 0);
    assert_int_equal(bytes.size, 6);
    assert_memory_equal(bytes.data, "abcdef", 6);
    sl_buf_fini(&bytes);
}

TEST_WITH(a_reopened_store_goes_on_at_what_was_synced, make, clean)
{
    struct fixture *f = *state;
    uint64_t have[SL_INGEST_STREAMS], lengths[SL_INGEST_STREAMS] = {8, 3, 0, 0};
    open_store(f);
    assert_int_equal(sl_ingest_take(f->store, 0, 0, "1234", 4), 0);
    assert_int_equal(sl_ingest_take(f->store, 1, 0, "log", 3), 0);
    wait_synced(f, 1);
    assert_int_equal(sl_ingest_take(f->store, 0, 4, "never", 5), 0); /* dies before its sync */
    close_store(f);
    open_store(f);
    sl_ingest_synced(f->store, have);
    assert_int_equal(have[0], 4);
    assert_int_equal(have[1], 3);
    assert_int_equal(sl_ingest_take(f->store, 0, 4, "5678", 4), 0);
    assert_int_equal(sl_ingest_end(f->store, lengths), 0);
    assert_false(sl_ingest_complete(f->store));
    wait_synced(f, 1);
    assert_true(sl_ingest_complete(f->store));
    close_store(f);
}

TEST_WITH(a_torn_mark_falls_back_to_the_one_before, make, clean)
{
    struct fixture *f = *state;
    char path[128];
    uint64_t have[SL_INGEST_STREAMS];
    open_store(f);
    assert_int_equal(sl_ingest_take(f->store, 0, 0, "1234", 4), 0);
    wait_synced(f, 1);
    assert_int_equal(sl_ingest_take(f->store, 0, 4, "5678", 4), 0);
    wait_synced(f, 2);
    close_store(f);
    snprintf(path, sizeof(path), "%s/streams/synced", f->directory);
    FILE *mark = fopen(path, "r+b"); /* the second sync wrote the slot at 0 */
    assert_non_null(mark);
    fputc(99, mark);
    fclose(mark);
    open_store(f);
    sl_ingest_synced(f->store, have);
    assert_int_equal(have[0], 4);
    close_store(f);
}

TEST_WITH(a_shortened_stream_is_refused, make, clean)
{
    struct fixture *f = *state;
    static const struct sl_ingest_events events = {on_synced, on_failed};
    char path[256];
    uv_loop_t loop;
    struct sl_ingest *store = NULL;
    open_store(f);
    assert_int_equal(sl_ingest_take(f->store, 0, 0, "1234", 4), 0);
    wait_synced(f, 1);
    close_store(f);
    sl_ingest_path(f->directory, 0, path, sizeof(path));
    assert_int_equal(truncate(path, 2), 0);
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(sl_ingest_open(&loop, f->directory, &events, f, &store), SL_E_TRUNCATED);
    assert_null(store);
    assert_int_equal(uv_loop_close(&loop), 0);
}

TEST_WITH(many_bytes_make_the_link_wait_until_they_are_synced, make, clean)
{
    struct fixture *f = *state;
    static uint8_t part[256 << 10];
    uint64_t at = 0, offset = 0;
    open_store(f);
    while (!sl_ingest_full(f->store)) {
        assert_int_equal(sl_ingest_take(f->store, 0, at, part, sizeof(part)), 0);
        at += sizeof(part);
        assert_true(at <= 64 << 20);
    }
    while (sl_ingest_full(f->store) && uv_run(&f->loop, UV_RUN_ONCE))
        ;
    assert_true(sl_ingest_ack(f->store, 0, &offset));
    assert_true(offset > 0 && offset <= at);
    close_store(f);
}

TEST_WITH(open_survives_each_failed_allocation, make, clean)
{
    struct fixture *f = *state;
    static const struct sl_ingest_events events = {on_synced, on_failed};
    uv_loop_t loop;
    struct sl_ingest *store = NULL;
    assert_int_equal(uv_loop_init(&loop), 0);
    sl_mem_fail_nth(1);
    assert_int_equal(sl_ingest_open(&loop, f->directory, &events, f, &store), -ENOMEM);
    assert_null(store);
    assert_int_equal(sl_ingest_open(&loop, "/nowhere/at/all", &events, f, &store), -ENOENT);
    assert_int_equal(uv_loop_close(&loop), 0);
}

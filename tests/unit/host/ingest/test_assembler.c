/* tests/unit/host/ingest/test_assembler.c */
#include <stdint.h>
#include <string.h>

#include "common/base/error.h"
#include "host/ingest/assembler.h"
#include "tests/support/random.h"
#include "tests/support/test.h"

static uint64_t random_state = 20261121;

static uint64_t draw(uint64_t below)
{
    return sl_random_below(&random_state, below);
}

TEST(a_gap_is_refused_and_changes_nothing)
{
    struct sl_assembler assembler;
    size_t fresh = 99;
    sl_assembler_init(&assembler, 64);
    assert_int_equal(sl_assembler_take(&assembler, 65, 10, 0, &fresh), SL_E_MISMATCH);
    assert_int_equal(fresh, 99);
    assert_int_equal(assembler.appended, 64);
}

TEST(overlap_gives_only_the_new_end)
{
    struct sl_assembler assembler;
    size_t fresh;
    sl_assembler_init(&assembler, 0);
    assert_int_equal(sl_assembler_take(&assembler, 0, 100, 0, &fresh), 0);
    assert_int_equal(fresh, 100);
    assert_int_equal(sl_assembler_take(&assembler, 40, 100, 0, &fresh), 0);
    assert_int_equal(fresh, 40);
    assert_int_equal(sl_assembler_take(&assembler, 0, 140, 0, &fresh), 0);
    assert_int_equal(fresh, 0);
}

TEST(offsets_near_the_top_cannot_wrap)
{
    struct sl_assembler assembler;
    size_t fresh;
    sl_assembler_init(&assembler, 0);
    assert_int_equal(sl_assembler_take(&assembler, UINT64_MAX - 3, 8, 0, &fresh), SL_E_LIMIT);
    assert_int_equal(sl_assembler_take(&assembler, 0, SIZE_MAX, 0, &fresh), SL_E_LIMIT);
}

TEST(bytes_past_the_declared_end_are_refused)
{
    struct sl_assembler assembler;
    size_t fresh;
    sl_assembler_init(&assembler, 0);
    assert_int_equal(sl_assembler_take(&assembler, 0, 10, 0, &fresh), 0);
    assert_int_equal(sl_assembler_end(&assembler, 9), SL_E_MISMATCH);
    assert_int_equal(sl_assembler_end(&assembler, 12), 0);
    assert_int_equal(sl_assembler_take(&assembler, 10, 3, 0, &fresh), SL_E_MISMATCH);
    assert_int_equal(sl_assembler_take(&assembler, 10, 2, 0, &fresh), 0);
    assert_int_equal(sl_assembler_end(&assembler, 13), SL_E_MISMATCH);
}

TEST(a_failed_sync_acknowledges_nothing)
{
    struct sl_assembler assembler;
    size_t fresh;
    uint64_t offset;
    sl_assembler_init(&assembler, 0);
    assert_int_equal(sl_assembler_take(&assembler, 0, 10, 5, &fresh), 0);
    assert_false(sl_assembler_sync_due(&assembler, 6, false));
    assert_true(sl_assembler_sync_due(&assembler, 5 + SL_ASSEMBLER_SYNC_MS, false));
    sl_assembler_sync_started(&assembler);
    assert_false(sl_assembler_sync_due(&assembler, 500, true));
    sl_assembler_sync_ended(&assembler, 500, false);
    assert_false(sl_assembler_ack(&assembler, &offset));
    sl_assembler_sync_started(&assembler);
    sl_assembler_sync_ended(&assembler, 600, true);
    assert_true(sl_assembler_ack(&assembler, &offset));
    assert_int_equal(offset, 10);
    assert_false(sl_assembler_ack(&assembler, &offset));
}

/* A device with a stream and a host that may die: whatever is cut, sent again or lost, the file
 * ends equal to the stream, and nothing acknowledged is ever missing from what survives. */
enum { STREAM = 5000 };

struct world {
    uint8_t stream[STREAM], file[STREAM];
    uint64_t device_from; /* the device sends from here */
    uint64_t acked;       /* highest acknowledgement the device ever saw */
    struct sl_assembler assembler;
    uint64_t now_ms;
};

static void send_some(struct world *world)
{
    uint64_t len = 1 + draw(400), offset = world->device_from;
    size_t fresh = 0;
    if (offset + len > STREAM)
        len = STREAM - offset;
    if (len == 0)
        return;
    int rc = sl_assembler_take(&world->assembler, offset, (size_t)len, world->now_ms, &fresh);
    assert_int_equal(rc, 0);
    memcpy(world->file + offset + len - fresh, world->stream + offset + len - fresh, fresh);
    world->device_from += len;
}

static void lose_the_link(struct world *world)
{
    world->device_from = world->acked + draw(world->assembler.synced - world->acked + 1);
}

static void restart_the_host(struct world *world)
{
    uint64_t survives =
        world->assembler.synced + draw(world->assembler.appended - world->assembler.synced + 1);
    assert_true(world->acked <= survives);
    memset(world->file + survives, 0, STREAM - survives);
    sl_assembler_init(&world->assembler, survives);
    world->device_from = survives; /* the host tells what it has */
}

static void step(struct world *world)
{
    uint64_t offset;
    world->now_ms += draw(40);
    switch (draw(8)) {
    case 0:
        lose_the_link(world);
        break;
    case 1:
        if (draw(8) == 0)
            restart_the_host(world);
        break;
    case 2:
        if (sl_assembler_ack(&world->assembler, &offset))
            world->acked = offset;
        break;
    case 3:
        if (world->assembler.syncing != 0)
            sl_assembler_sync_ended(&world->assembler, world->now_ms, draw(5) != 0);
        else if (sl_assembler_sync_due(&world->assembler, world->now_ms, draw(2) != 0))
            sl_assembler_sync_started(&world->assembler);
        break;
    default:
        send_some(world);
    }
    assert_true(world->acked <= world->assembler.synced);
    assert_true(world->assembler.synced <= world->assembler.appended);
}

TEST(a_million_random_steps_lose_nothing)
{
    static struct world world;
    unsigned long steps = 0, streams = 0;
    while (steps < 1000000) {
        memset(&world, 0, sizeof(world));
        for (size_t i = 0; i < STREAM; i++)
            world.stream[i] = (uint8_t)(draw(255) + 1);
        sl_assembler_init(&world.assembler, 0);
        for (; world.assembler.synced < STREAM; steps++)
            step(&world);
        assert_memory_equal(world.file, world.stream, STREAM);
        assert_int_equal(sl_assembler_end(&world.assembler, STREAM), 0);
        assert_true(sl_assembler_complete(&world.assembler));
        streams++;
    }
    assert_true(streams > 100);
}

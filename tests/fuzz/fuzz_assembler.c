/* tests/fuzz/fuzz_assembler.c: stretches, ends and syncs of a stream in any order, 18 bytes a step:
 * what to do, a flag, and two numbers. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/bytes.h"
#include "host/ingest/assembler.h"

enum { STEP_BYTES = 18, NEAR_BYTES = 1 << 16 };
enum { TAKE, TAKE_NEAR, END, SYNC, SYNCED, ACK, KINDS };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
    if (!holds)
        abort();
}

static void check(const struct sl_assembler *a)
{
    need(a->acked <= a->synced && a->synced <= a->appended);
    need(a->appended <= a->end && a->appended <= SL_ASSEMBLER_MAX_BYTES);
    need(a->syncing == 0 || (a->syncing > a->synced && a->syncing <= a->appended));
    need(!sl_assembler_complete(a) || a->appended == a->end);
    need(!sl_assembler_full(a) || a->appended > a->synced);
}

/* All that is taken lies at the end of what there is, and what is refused changes nothing. */
static void take(struct sl_assembler *a, uint64_t offset, size_t len, uint64_t now_ms)
{
    struct sl_assembler before = *a;
    size_t fresh = len + 1;
    if (sl_assembler_take(a, offset, len, now_ms, &fresh) < 0) {
        need(memcmp(&before, a, sizeof(before)) == 0);
        return;
    }
    need(offset <= before.appended && fresh <= len);
    need(a->appended == before.appended + fresh);
    need(fresh == 0 || a->appended == offset + len);
}

static void sync_ended(struct sl_assembler *a, uint64_t now_ms, bool ok)
{
    uint64_t synced = a->synced, syncing = a->syncing;
    if (syncing == 0)
        return; /* its owner tells the end of what it began, and of no other */
    sl_assembler_sync_ended(a, now_ms, ok);
    need(a->synced == (ok ? syncing : synced));
}

static void acknowledge(struct sl_assembler *a)
{
    uint64_t offset = 0, acked = a->acked;
    if (sl_assembler_ack(a, &offset))
        need(offset > acked && offset == a->synced);
}

static void step(struct sl_assembler *a, const uint8_t *at, uint64_t now_ms)
{
    uint64_t first = sl_load_u64(at + 2), second = sl_load_u64(at + 10);
    bool flag = at[1] & 1;
    switch (at[0] % KINDS) {
    case TAKE:
        take(a, first, (size_t)second, now_ms);
        break;
    case TAKE_NEAR:
        take(a, a->appended - first % NEAR_BYTES + flag, (size_t)(second % (1 << 24)), now_ms);
        break;
    case END:
        (void)sl_assembler_end(a, flag ? a->appended : first);
        break;
    case SYNC:
        if (sl_assembler_sync_due(a, now_ms, flag))
            sl_assembler_sync_started(a);
        break;
    case SYNCED:
        sync_ended(a, now_ms, flag);
        break;
    default:
        acknowledge(a);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_assembler assembler;
    uint64_t now_ms = 1;
    memset(&assembler, 0, sizeof(assembler));
    sl_assembler_init(&assembler, size > 0 ? data[0] : 0);
    for (size_t at = 1; at + STEP_BYTES <= size; at += STEP_BYTES) {
        step(&assembler, data + at, now_ms);
        check(&assembler);
        now_ms += data[at + 1];
    }
    return 0;
}

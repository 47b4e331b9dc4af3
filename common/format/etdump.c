/* common/format/etdump.c: the reader. */
#include "common/format/etdump.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/pool.h"
#include "common/format/flatbuf.h"

/* Slots of the schema's tables. */
enum { ETDUMP_VERSION = 0, ETDUMP_RUNS = 1 };
enum { RUN_NAME = 0, RUN_BUNDLED_INPUT = 1, RUN_EVENTS = 3 };
enum { EVENT_PROFILE = 0, EVENT_ALLOCATION = 1, EVENT_DEBUG = 2 };
enum { PROFILE_NAME = 0, PROFILE_CHAIN = 1, PROFILE_INSTRUCTION = 2, PROFILE_ID_INT = 3 };
enum { PROFILE_ID_STR = 4, PROFILE_METADATA = 5, PROFILE_START = 6, PROFILE_END = 7 };
enum { ALLOCATION_ALLOCATOR = 0, ALLOCATION_SIZE = 1 };
enum { DEBUG_CHAIN = 0, DEBUG_INSTRUCTION = 1, DEBUG_ENTRY = 2, DEBUG_ID_INT = 3 };
enum { DEBUG_ID_STR = 4, DEBUG_NAME = 5 };

/* Events take about twice their unaliased size in our arrays. */
enum { BUDGET_PER_BYTE = 16, BUDGET_BYTES = 64 << 10 };

static const char *read_text(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                             unsigned slot, uint32_t *out_len)
{
    struct sl_bytes text = sl_flatbuf_string(fb, table, slot);
    *out_len = (uint32_t)text.size;
    return (const char *)text.data;
}

static void read_profile(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                         struct sl_etdump_event *event)
{
    event->kind = SL_ETDUMP_PROFILE;
    event->name = read_text(fb, table, PROFILE_NAME, &event->name_len);
    event->chain_index = sl_flatbuf_i32(fb, table, PROFILE_CHAIN, 0);
    event->instruction_id = sl_flatbuf_i32(fb, table, PROFILE_INSTRUCTION, -1);
    event->delegate_id_int = sl_flatbuf_i32(fb, table, PROFILE_ID_INT, -1);
    event->delegate_id = read_text(fb, table, PROFILE_ID_STR, &event->delegate_id_len);
    struct sl_flatbuf_vector metadata = sl_flatbuf_vector(fb, table, PROFILE_METADATA, 1);
    event->has_metadata = metadata.present;
    if (metadata.present)
        event->metadata = (struct sl_bytes){fb->data + metadata.at, metadata.count};
    event->start = sl_flatbuf_u64(fb, table, PROFILE_START, 0);
    event->end = sl_flatbuf_u64(fb, table, PROFILE_END, 0);
}

static void read_allocation(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                            struct sl_etdump_event *event)
{
    event->kind = SL_ETDUMP_ALLOCATION;
    event->instruction_id = -1;
    event->delegate_id_int = -1;
    event->allocator_id = sl_flatbuf_i32(fb, table, ALLOCATION_ALLOCATOR, 0);
    event->allocation_size = sl_flatbuf_u64(fb, table, ALLOCATION_SIZE, 0);
}

static void read_debug(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                       struct sl_etdump_event *event)
{
    event->kind = SL_ETDUMP_DEBUG;
    event->name = read_text(fb, table, DEBUG_NAME, &event->name_len);
    event->chain_index = (int64_t)sl_flatbuf_u64(fb, table, DEBUG_CHAIN, 0);
    event->instruction_id = sl_flatbuf_i32(fb, table, DEBUG_INSTRUCTION, -1);
    event->delegate_id_int = sl_flatbuf_i32(fb, table, DEBUG_ID_INT, -1);
    event->delegate_id = read_text(fb, table, DEBUG_ID_STR, &event->delegate_id_len);
    event->value_offset = sl_flatbuf_child(fb, table, DEBUG_ENTRY, "Value").at;
}

static void read_event(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                       struct sl_etdump_event *event)
{
    struct sl_flatbuf_table content = sl_flatbuf_child(fb, table, EVENT_PROFILE, "ProfileEvent");
    if (content.at != 0) {
        read_profile(fb, &content, event);
        return;
    }
    content = sl_flatbuf_child(fb, table, EVENT_ALLOCATION, "AllocationEvent");
    if (content.at != 0) {
        read_allocation(fb, &content, event);
        return;
    }
    content = sl_flatbuf_child(fb, table, EVENT_DEBUG, "DebugEvent");
    if (content.at != 0)
        read_debug(fb, &content, event);
    else if (fb->error == 0)
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "an event has no content");
}

static void read_run(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                     struct sl_etdump_run *run)
{
    run->name = read_text(fb, table, RUN_NAME, &run->name_len);
    run->bundled_input_index = sl_flatbuf_i32(fb, table, RUN_BUNDLED_INPUT, -1);
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, RUN_EVENTS, 4);
    struct sl_etdump_event *events = sl_flatbuf_alloc(fb, vector.count, sizeof(*events));
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        struct sl_flatbuf_table event = sl_flatbuf_element(fb, &vector, i, "Event");
        read_event(fb, &event, &events[i]);
    }
    run->has_events = vector.present;
    run->event_count = vector.count;
    run->events = events;
}

static void read_etdump(struct sl_flatbuf *fb, struct sl_etdump *etdump)
{
    struct sl_flatbuf_table root = sl_flatbuf_root(fb, etdump->size_prefixed ? 4 : 0, "ETDump");
    etdump->version = sl_flatbuf_u32(fb, &root, ETDUMP_VERSION, 0);
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, &root, ETDUMP_RUNS, 4);
    struct sl_etdump_run *runs = sl_flatbuf_alloc(fb, vector.count, sizeof(*runs));
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        struct sl_flatbuf_table run = sl_flatbuf_element(fb, &vector, i, "RunData");
        read_run(fb, &run, &runs[i]);
    }
    etdump->run_count = vector.count;
    etdump->runs = runs;
}

/* Finds out whether a size stands in front, and what of the file is the FlatBuffer. */
static int read_container(struct sl_flatbuf *fb, struct sl_bytes file, bool *out_prefixed)
{
    fb->data = file.data;
    fb->size = file.size;
    *out_prefixed = file.size >= 12 && memcmp(file.data + 8, "ED00", 4) == 0;
    if (*out_prefixed) {
        uint64_t size = (uint64_t)sl_load_u32(file.data) + 4;
        if (size > file.size)
            return sl_flatbuf_fail(fb, SL_E_TRUNCATED, 0,
                                   "the trace should have %" PRIu64 " bytes, the file has %zu",
                                   size, file.size);
        fb->size = (size_t)size;
    } else if (file.size < 8) {
        return sl_flatbuf_fail(fb, SL_E_TRUNCATED, file.size,
                               "the file ends before its identifier");
    } else if (memcmp(file.data + 4, "ED00", 4) != 0) {
        return sl_flatbuf_fail(fb, SL_E_FORMAT, 8, "not an ETDump: there is no identifier ED00");
    }
    if (fb->size > SL_FLATBUF_MAX_BYTES)
        return sl_flatbuf_fail(fb, SL_E_LIMIT, 0, "the trace is larger than 2 GiB");
    return 0;
}

int sl_etdump_parse(struct sl_bytes file, struct sl_etdump *out, struct sl_diag *diag)
{
    struct sl_etdump etdump = {.file = file};
    struct sl_flatbuf fb = {.diag = diag};
    int rc = read_container(&fb, file, &etdump.size_prefixed);
    if (rc < 0)
        return rc;
    etdump.pool = sl_pool_new(fb.size * BUDGET_PER_BYTE + BUDGET_BYTES);
    if (!etdump.pool)
        return -ENOMEM;
    fb.pool = etdump.pool;
    read_etdump(&fb, &etdump);
    if (fb.error == 0)
        *out = etdump;
    else
        sl_etdump_fini(&etdump);
    return fb.error;
}

void sl_etdump_fini(struct sl_etdump *etdump)
{
    sl_pool_free(etdump->pool);
    *etdump = (struct sl_etdump){0};
}

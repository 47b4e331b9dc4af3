/* common/format/etdump.c: the reader. */
#include "common/format/etdump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/etdump_slots.h"
#include "common/format/flatbuf.h"

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
    struct sl_flatbuf_table value = sl_flatbuf_child(fb, table, DEBUG_ENTRY, "Value");
    struct sl_flatbuf_table output = sl_flatbuf_child(fb, &value, VALUE_OUTPUT, "Bool");
    event->value_offset = value.at;
    event->program_output = sl_flatbuf_u8(fb, &output, BOOL_VALUE, 0) != 0;
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

/* Returns the field of a checked table, or NULL. */
static const uint8_t *field_at(const uint8_t *table, unsigned slot)
{
    const uint8_t *vtable = table - (int32_t)sl_load_u32(table);
    unsigned offset = 4 + 2 * slot < sl_load_u16(vtable) ? sl_load_u16(vtable + 4 + 2 * slot) : 0;
    return offset == 0 ? NULL : table + offset;
}

/* Returns the target of the offset in a field of a checked table, or NULL. */
static const uint8_t *target_at(const uint8_t *table, unsigned slot)
{
    const uint8_t *field = field_at(table, slot);
    return field ? field + sl_load_u32(field) : NULL;
}

static int32_t i32_at(const uint8_t *table, unsigned slot, int32_t absent)
{
    const uint8_t *field = field_at(table, slot);
    return field ? (int32_t)sl_load_u32(field) : absent;
}

static uint64_t u64_at(const uint8_t *table, unsigned slot)
{
    const uint8_t *field = field_at(table, slot);
    return field ? sl_load_u64(field) : 0;
}

/* A checked string or vector of bytes; data is NULL when it is absent. */
static struct sl_bytes bytes_at(const uint8_t *table, unsigned slot)
{
    const uint8_t *at = target_at(table, slot);
    return at ? (struct sl_bytes){at + 4, sl_load_u32(at)} : (struct sl_bytes){NULL, 0};
}

static void decode_profile(const uint8_t *table, struct sl_etdump_event *out)
{
    struct sl_bytes name = bytes_at(table, PROFILE_NAME);
    struct sl_bytes id = bytes_at(table, PROFILE_ID_STR);
    struct sl_bytes metadata = bytes_at(table, PROFILE_METADATA);
    *out = (struct sl_etdump_event){
        .kind = SL_ETDUMP_PROFILE,
        .name = (const char *)name.data,
        .name_len = (uint32_t)name.size,
        .delegate_id = (const char *)id.data,
        .delegate_id_len = (uint32_t)id.size,
        .delegate_id_int = i32_at(table, PROFILE_ID_INT, -1),
        .chain_index = i32_at(table, PROFILE_CHAIN, 0),
        .instruction_id = i32_at(table, PROFILE_INSTRUCTION, -1),
        .start = u64_at(table, PROFILE_START),
        .end = u64_at(table, PROFILE_END),
        .metadata = metadata,
        .has_metadata = metadata.data != NULL,
    };
}

/* Allocations and tensors are few: these go the checked way once more. */
static void decode_other(const struct sl_etdump_run *run, uint32_t at, struct sl_etdump_event *out)
{
    struct sl_flatbuf fb = {.data = run->data, .size = SL_FLATBUF_MAX_BYTES};
    const uint8_t *vtable = run->data + at - (int32_t)sl_load_u32(run->data + at);
    struct sl_flatbuf_table table = {.name = "Event",
                                     .at = at,
                                     .vtable = (uint32_t)(vtable - run->data),
                                     .vtable_bytes = sl_load_u16(vtable),
                                     .table_bytes = sl_load_u16(vtable + 2)};
    *out = (struct sl_etdump_event){0};
    read_event(&fb, &table, out);
}

const struct sl_etdump_event *sl_etdump_event_read(const struct sl_etdump_run *run, uint32_t i,
                                                   struct sl_etdump_event *room)
{
    if (run->events)
        return &run->events[i];
    uint32_t at = run->vector + 4 * i;
    at = run->tables ? run->tables[i] : at + sl_load_u32(run->data + at);
    const uint8_t *profile = target_at(run->data + at, EVENT_PROFILE);
    if (profile)
        decode_profile(profile, room);
    else
        decode_other(run, at, room);
    return room;
}

/* Arrays are of runs, and of events only where some are lost. */
enum { BUDGET_PER_BYTE = 16, BUDGET_BYTES = 64 << 10 };
enum { SHAPES = 64, SHAPE_SLOTS = 8 };

/* A vtable that was checked. Files have a handful, shared by all their tables. */
struct shape {
    uint32_t vtable; /* 0: a free place */
    uint16_t table_bytes;
    uint16_t fields[SHAPE_SLOTS]; /* 0: absent */
};

struct reader {
    struct sl_flatbuf fb;
    struct shape shapes[SHAPES];
    struct sl_etdump_loss *loss; /* NULL: the first fault ends it */
    uint64_t events_left;        /* that a file of this size may have: runs may name each other's */
};

/* The checked shape of the table at `at`, or NULL where the slow way has to look. */
static const struct shape *shape_of(struct reader *r, uint64_t at)
{
    const struct sl_flatbuf *fb = &r->fb;
    if (!sl_range_ok(at, 4, fb->size))
        return NULL;
    int64_t vtable = (int64_t)at - (int32_t)sl_load_u32(fb->data + at);
    if (vtable <= 0 || !sl_range_ok((uint64_t)vtable, 4, fb->size))
        return NULL;
    struct shape *shape = &r->shapes[(vtable >> 1) % SHAPES];
    if (shape->vtable != (uint32_t)vtable) {
        uint16_t bytes = sl_load_u16(fb->data + vtable);
        *shape = (struct shape){(uint32_t)vtable, sl_load_u16(fb->data + vtable + 2), {0}};
        if (bytes < 4 || bytes % 2 != 0 || shape->table_bytes < 4 ||
            !sl_range_ok((uint64_t)vtable, bytes, fb->size)) {
            shape->vtable = 0;
            return NULL;
        }
        for (unsigned i = 0; i < SHAPE_SLOTS && 4 + 2 * i < bytes; i++)
            shape->fields[i] = sl_load_u16(fb->data + vtable + 4 + 2 * i);
    }
    return sl_range_ok(at, shape->table_bytes, fb->size) ? shape : NULL;
}

/* Is the field absent, or inside its table? */
static bool field_ok(const struct shape *shape, unsigned slot, unsigned bytes)
{
    unsigned offset = shape->fields[slot];
    return offset == 0 || (offset >= 4 && offset + bytes <= shape->table_bytes);
}

/* Is the field absent, or the offset of a vector of bytes inside the file, which `tail` bytes of
 * zero follow? */
static bool bytes_ok(const struct sl_flatbuf *fb, const struct shape *shape, uint64_t table,
                     unsigned slot, unsigned tail)
{
    if (!field_ok(shape, slot, 4))
        return false;
    if (shape->fields[slot] == 0)
        return true;
    uint64_t at = table + shape->fields[slot];
    uint32_t offset = sl_load_u32(fb->data + at);
    at += offset;
    if (offset == 0 || !sl_range_ok(at, 4, fb->size))
        return false;
    uint64_t count = sl_load_u32(fb->data + at);
    return sl_range_ok(at + 4, count + tail, fb->size) &&
           (tail == 0 || fb->data[at + 4 + count] == 0);
}

/* Is the event at `at` a sound profiling event? Everything else takes the slow way. */
static bool profile_ok(struct reader *r, uint64_t at)
{
    const struct sl_flatbuf *fb = &r->fb;
    const struct shape *event = shape_of(r, at);
    if (!event || event->fields[EVENT_PROFILE] == 0 || !field_ok(event, EVENT_PROFILE, 4))
        return false;
    at += event->fields[EVENT_PROFILE];
    uint32_t offset = sl_load_u32(fb->data + at);
    at += offset;
    const struct shape *profile = offset == 0 ? NULL : shape_of(r, at);
    return profile && bytes_ok(fb, profile, at, PROFILE_NAME, 1) &&
           bytes_ok(fb, profile, at, PROFILE_ID_STR, 1) &&
           bytes_ok(fb, profile, at, PROFILE_METADATA, 0) && field_ok(profile, PROFILE_CHAIN, 4) &&
           field_ok(profile, PROFILE_INSTRUCTION, 4) && field_ok(profile, PROFILE_ID_INT, 4) &&
           field_ok(profile, PROFILE_START, 8) && field_ok(profile, PROFILE_END, 8);
}

/* Takes a fault of a file that is salvaged into account; true if reading goes on. */
static bool forgive(struct reader *r, uint32_t *count)
{
    if (!r->loss || r->fb.error == -ENOMEM || r->fb.error == SL_E_LIMIT)
        return false;
    if (r->loss->first[0] == '\0' && r->fb.diag)
        snprintf(r->loss->first, sizeof(r->loss->first), "%s (%s)", r->fb.diag->what,
                 r->fb.diag->where);
    r->fb.error = 0;
    ++*count;
    return true;
}

/* Checks event `i` of the vector; puts where it lies to *out_at. */
static bool check_event(struct reader *r, const struct sl_flatbuf_vector *vector, uint32_t i,
                        uint32_t *out_at)
{
    uint64_t at = vector->at + 4 * (uint64_t)i;
    uint32_t offset = sl_load_u32(r->fb.data + at);
    if (offset != 0 && profile_ok(r, at + offset)) {
        *out_at = (uint32_t)(at + offset);
        return true;
    }
    struct sl_etdump_event event;
    struct sl_flatbuf_table table = sl_flatbuf_element(&r->fb, vector, i, "Event");
    read_event(&r->fb, &table, &event);
    *out_at = table.at;
    return r->fb.error == 0;
}

/* The events of a run of which some cannot be read: where those lie that can. */
static void keep_readable(struct reader *r, const struct sl_flatbuf_vector *vector,
                          struct sl_etdump_run *run)
{
    uint32_t *tables = sl_flatbuf_alloc(&r->fb, vector->count, sizeof(*tables));
    run->tables = tables;
    run->event_count = run->lost_events = 0;
    for (uint32_t i = 0; i < vector->count && r->fb.error == 0; i++) {
        if (check_event(r, vector, i, &tables[run->event_count]))
            run->event_count++;
        else if (!forgive(r, &run->lost_events))
            return;
    }
    r->loss->events += run->lost_events;
}

static void read_run(struct reader *r, const struct sl_flatbuf_table *table,
                     struct sl_etdump_run *run)
{
    struct sl_flatbuf *fb = &r->fb;
    uint32_t faults = 0;
    run->data = fb->data;
    struct sl_bytes name = sl_flatbuf_string(fb, table, RUN_NAME);
    run->name = (const char *)name.data;
    run->name_len = (uint32_t)name.size;
    run->bundled_input_index = sl_flatbuf_i32(fb, table, RUN_BUNDLED_INPUT, -1);
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, RUN_EVENTS, 4);
    if (fb->error != 0)
        return;
    if (vector.count > r->events_left) {
        sl_flatbuf_fail(fb, SL_E_LIMIT, vector.at,
                        "its parts overlap: together they ask for far more events than the file "
                        "has bytes");
        return;
    }
    r->events_left -= vector.count;
    run->has_events = vector.present;
    run->event_count = vector.count;
    run->vector = vector.at;
    for (uint32_t i = 0; i < vector.count && faults == 0; i++) {
        uint32_t at;
        if (!check_event(r, &vector, i, &at) && !forgive(r, &faults))
            return;
    }
    if (faults > 0)
        keep_readable(r, &vector, run);
}

static void read_etdump(struct reader *r, struct sl_etdump *etdump)
{
    struct sl_flatbuf *fb = &r->fb;
    struct sl_flatbuf_table root = sl_flatbuf_root(fb, etdump->size_prefixed ? 4 : 0, "ETDump");
    etdump->version = sl_flatbuf_u32(fb, &root, ETDUMP_VERSION, 0);
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, &root, ETDUMP_RUNS, 4);
    struct sl_etdump_run *runs = sl_flatbuf_alloc(fb, vector.count, sizeof(*runs));
    uint32_t faults = 0;
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        struct sl_etdump_run *run = &runs[etdump->run_count];
        *run = (struct sl_etdump_run){.bundled_input_index = -1};
        struct sl_flatbuf_table table = sl_flatbuf_element(fb, &vector, i, "RunData");
        read_run(r, &table, run);
        if (fb->error == 0)
            etdump->run_count++;
        else if (!forgive(r, &faults))
            return;
    }
    if (r->loss)
        r->loss->runs += faults;
    etdump->runs = runs;
}

/* Finds out whether a size stands in front, and what of the file is the FlatBuffer. */
static int read_container(struct sl_flatbuf *fb, struct sl_bytes file, struct sl_etdump_loss *loss,
                          bool *out_prefixed)
{
    fb->data = file.data;
    fb->size = file.size;
    *out_prefixed = file.size >= 12 && memcmp(file.data + 8, "ED00", 4) == 0;
    if (*out_prefixed) {
        uint64_t size = (uint64_t)sl_load_u32(file.data) + 4;
        if (size > file.size && loss) {
            loss->missing_bytes = size - file.size;
            size = file.size;
        }
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

static int parse(struct sl_bytes file, struct sl_etdump *out, struct sl_etdump_loss *loss,
                 struct sl_diag *diag)
{
    struct sl_etdump etdump = {.file = file};
    struct reader *r = sl_calloc(1, sizeof(*r));
    if (!r)
        return -ENOMEM;
    r->fb.diag = diag;
    r->loss = loss;
    int rc = read_container(&r->fb, file, loss, &etdump.size_prefixed);
    if (rc == 0) {
        etdump.pool = sl_arena_new(r->fb.size * BUDGET_PER_BYTE + BUDGET_BYTES);
        rc = etdump.pool ? 0 : -ENOMEM;
    }
    if (rc == 0) {
        r->fb.pool = etdump.pool;
        r->events_left = r->fb.size / 4; /* each takes an offset at least */
        read_etdump(r, &etdump);
        rc = r->fb.error;
    }
    if (rc == 0)
        *out = etdump;
    else
        sl_etdump_fini(&etdump);
    sl_free(r);
    return rc;
}

int sl_etdump_parse(struct sl_bytes file, struct sl_etdump *out, struct sl_diag *diag)
{
    return parse(file, out, NULL, diag);
}

int sl_etdump_salvage(struct sl_bytes file, struct sl_etdump *out, struct sl_etdump_loss *out_loss,
                      struct sl_diag *diag)
{
    struct sl_diag words = {.what = ""};
    struct sl_etdump_loss loss = {.first = ""};
    int rc = parse(file, out, &loss, diag ? diag : &words);
    if (rc < 0)
        return rc;
    if (loss.missing_bytes > 0 && loss.first[0] == '\0')
        snprintf(loss.first, sizeof(loss.first), "the file ends early");
    *out_loss = loss;
    return 0;
}

void sl_etdump_fini(struct sl_etdump *etdump)
{
    sl_arena_free(etdump->pool);
    *etdump = (struct sl_etdump){0};
}

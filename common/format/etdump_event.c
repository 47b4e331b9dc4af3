/* common/format/etdump_event.c: one event, from bytes that were checked or not. */
#include <string.h>

#include "common/base/error.h"
#include "common/format/etdump_parts.h"

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

void sl_etdump_read_event(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
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

/* Where a checked table has the field, or NULL. */
static const uint8_t *field_at(const uint8_t *table, unsigned slot)
{
    const uint8_t *vtable = table - (int32_t)sl_load_u32(table);
    unsigned offset = 4 + 2 * slot < sl_load_u16(vtable) ? sl_load_u16(vtable + 4 + 2 * slot) : 0;
    return offset == 0 ? NULL : table + offset;
}

/* What the offset in a field of a checked table names, or NULL. */
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
    sl_etdump_read_event(&fb, &table, out);
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

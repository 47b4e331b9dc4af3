/* common/format/etdump_writer.c: creates objects in the order in which ETDumpGen does. */
#include <errno.h>
#include <stdbool.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/etdump.h"
#include "common/format/etdump_slots.h"
#include "common/format/flatbuild.h"

struct refs {
    uint32_t *items; /* owned */
    size_t count, capacity;
};

struct sl_etdump_writer {
    struct sl_flatbuild build;
    struct refs runs;
    struct refs events;  /* of the open block */
    uint32_t block_name; /* 0: no block is open */
    bool finished;
};

static int push(struct refs *refs, uint32_t ref)
{
    if (refs->count == refs->capacity) {
        size_t capacity = refs->capacity == 0 ? 64 : refs->capacity * 2;
        uint32_t *items = sl_realloc(refs->items, capacity, sizeof(*items));
        if (!items)
            return -ENOMEM;
        refs->items = items;
        refs->capacity = capacity;
    }
    refs->items[refs->count++] = ref;
    return 0;
}

int sl_etdump_writer_new(struct sl_etdump_writer **out)
{
    struct sl_etdump_writer *writer = sl_calloc(1, sizeof(*writer));
    if (!writer)
        return -ENOMEM;
    sl_flatbuild_init(&writer->build);
    *out = writer;
    return 0;
}

void sl_etdump_writer_reserve(struct sl_etdump_writer *writer, size_t bytes)
{
    sl_flatbuild_reserve(&writer->build, bytes);
}

void sl_etdump_writer_free(struct sl_etdump_writer *writer)
{
    if (!writer)
        return;
    sl_flatbuild_fini(&writer->build);
    sl_free(writer->runs.items);
    sl_free(writer->events.items);
    sl_free(writer);
}

/* Ends the open block, if any. A block without events has no vector of them at all. */
static int close_block(struct sl_etdump_writer *writer)
{
    struct sl_flatbuild_table run;
    if (writer->block_name == 0)
        return 0;
    sl_flatbuild_begin_table(&run);
    sl_flatbuild_add_ref(&run, RUN_NAME, writer->block_name);
    if (writer->events.count > 0)
        sl_flatbuild_add_ref(
            &run, RUN_EVENTS,
            sl_flatbuild_refs(&writer->build, writer->events.items, writer->events.count));
    uint32_t ref = sl_flatbuild_end_table(&writer->build, &run);
    writer->block_name = 0;
    writer->events.count = 0;
    return writer->build.error != 0 ? writer->build.error : push(&writer->runs, ref);
}

int sl_etdump_writer_block(struct sl_etdump_writer *writer, const char *name, size_t len)
{
    if (writer->finished)
        return SL_E_STATE;
    int rc = close_block(writer);
    if (rc == 0)
        writer->block_name = sl_flatbuild_string(&writer->build, name, len);
    return rc != 0 ? rc : writer->build.error;
}

int sl_etdump_writer_name(struct sl_etdump_writer *writer, const char *name, size_t len,
                          uint32_t *out_ref)
{
    if (writer->finished || writer->block_name == 0)
        return SL_E_STATE;
    uint32_t ref = sl_flatbuild_string(&writer->build, name, len);
    if (writer->build.error == 0)
        *out_ref = ref;
    return writer->build.error;
}

int sl_etdump_writer_event(struct sl_etdump_writer *writer, const struct sl_etdump_event *event,
                           uint32_t text_ref, bool delegate)
{
    struct sl_flatbuild *build = &writer->build;
    struct sl_flatbuild_table profile, holder;
    if (writer->finished || writer->block_name == 0)
        return SL_E_STATE;
    if (event->chain_index < INT32_MIN || event->chain_index > INT32_MAX)
        return SL_E_LIMIT;
    uint32_t metadata = 0; /* a delegate's event has it even when it is empty */
    if (delegate)
        metadata = sl_flatbuild_bytes(build, event->metadata.data, event->metadata.size);
    sl_flatbuild_begin_table(&profile);
    sl_flatbuild_add_u64(&profile, PROFILE_START, event->start, 0);
    sl_flatbuild_add_u64(&profile, PROFILE_END, event->end, 0);
    sl_flatbuild_add_i32(&profile, PROFILE_CHAIN, (int32_t)event->chain_index, 0);
    sl_flatbuild_add_i32(&profile, PROFILE_INSTRUCTION, event->instruction_id, -1);
    if (!delegate)
        sl_flatbuild_add_ref(&profile, PROFILE_NAME, text_ref);
    else if (text_ref != 0)
        sl_flatbuild_add_ref(&profile, PROFILE_ID_STR, text_ref);
    else
        sl_flatbuild_add_i32(&profile, PROFILE_ID_INT, event->delegate_id_int, -1);
    if (delegate)
        sl_flatbuild_add_ref(&profile, PROFILE_METADATA, metadata);
    uint32_t ref = sl_flatbuild_end_table(build, &profile);
    sl_flatbuild_begin_table(&holder);
    sl_flatbuild_add_ref(&holder, EVENT_PROFILE, ref);
    ref = sl_flatbuild_end_table(build, &holder);
    return build->error != 0 ? build->error : push(&writer->events, ref);
}

int sl_etdump_writer_finish(struct sl_etdump_writer *writer, struct sl_buf *out)
{
    struct sl_flatbuild_table root;
    if (writer->finished)
        return SL_E_STATE;
    int rc = close_block(writer);
    writer->finished = true;
    if (rc < 0)
        return rc;
    sl_flatbuild_begin_table(&root);
    sl_flatbuild_add_ref(&root, ETDUMP_RUNS,
                         sl_flatbuild_refs(&writer->build, writer->runs.items, writer->runs.count));
    uint32_t ref = sl_flatbuild_end_table(&writer->build, &root);
    return sl_flatbuild_finish(&writer->build, ref, "ED00", out);
}

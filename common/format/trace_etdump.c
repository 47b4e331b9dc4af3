/* common/format/trace_etdump.c */
#include "common/format/trace_etdump.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/etdump.h"
#include "common/format/sltrace.h"

/* Bytes that an event or a block takes in a file beside its name, at most, and the rest. */
enum { EVENT_BYTES = 68, BLOCK_BYTES = 80, FILE_BYTES = 4096 };

/* An event whose text is created when it begins, not when it ends. */
struct begin {
    uint32_t order;
    size_t index; /* in converter.events */
};

struct converter {
    const struct sl_trace *trace;
    struct sl_etdump_writer *writer;       /* owned */
    const struct sl_trace_record **events; /* owned: those of the block, in order of end */
    size_t event_count, room;              /* of each array */
    struct begin *begins;                  /* owned */
    size_t begin_count;
    uint32_t *texts; /* owned: the texts of `events`, once created */
};

static int compare_begins(const void *left, const void *right)
{
    const struct begin *a = left, *b = right;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static int create_text(struct converter *converter, size_t index)
{
    const char *name = converter->trace->names[converter->events[index]->name];
    return sl_etdump_writer_name(converter->writer, name, strlen(name), &converter->texts[index]);
}

static int write_event(struct converter *converter, size_t index)
{
    const struct sl_trace_record *record = converter->events[index];
    bool delegate = record->event.event == SL_TRACE_DELEGATE;
    struct sl_etdump_event event = {
        .chain_index = record->event.chain,
        .instruction_id = record->event.instruction,
        .start = record->event.start,
        .end = record->event.end,
        .delegate_id_int = -1,
    };
    int rc = delegate ? create_text(converter, index) : 0;
    if (rc < 0)
        return rc;
    return sl_etdump_writer_event(converter->writer, &event, converter->texts[index], delegate);
}

/* Writes the events gathered since the block opened. Events nest, so when one ends exactly those
 * have begun whose order is no later than that of any that has ended. */
static int write_events(struct converter *converter)
{
    size_t begun = 0;
    uint32_t latest = 0;
    int rc = 0;
    if (converter->begin_count > 1)
        qsort(converter->begins, converter->begin_count, sizeof(*converter->begins),
              compare_begins);
    for (size_t i = 0; i < converter->event_count && rc == 0; i++) {
        if (converter->events[i]->event.order > latest)
            latest = converter->events[i]->event.order;
        for (;
             begun < converter->begin_count && converter->begins[begun].order <= latest && rc == 0;
             begun++)
            rc = create_text(converter, converter->begins[begun].index);
        if (rc == 0)
            rc = write_event(converter, i);
    }
    converter->event_count = 0;
    converter->begin_count = 0;
    return rc;
}

static void gather(struct converter *converter, const struct sl_trace_record *record)
{
    assert(converter->event_count < converter->room);
    if (record->event.event != SL_TRACE_DELEGATE)
        converter->begins[converter->begin_count++] =
            (struct begin){record->event.order, converter->event_count};
    converter->events[converter->event_count++] = record;
}

const char *sl_trace_block_name(const struct sl_trace *trace, const struct sl_trace_record *block,
                                bool first, char out[SL_TRACE_BLOCK_NAME_BYTES])
{
    bool warmup = (block->flags & SL_TRACE_BLOCK_WARMUP) != 0;
    bool counted = first && trace->unit == SL_TRACE_INSTRUCTIONS;
    const char *name = block->name <= trace->name_count ? trace->names[block->name] : "";
    snprintf(out, SL_TRACE_BLOCK_NAME_BYTES, "%.250s%s", warmup ? "Warmup" : name,
             counted ? " (" SL_ETDUMP_INSTRUCTIONS_MARKER ")" : "");
    return out;
}

static int write_blocks(struct converter *converter, uint32_t variant)
{
    const struct sl_trace *trace = converter->trace;
    char name_text[SL_TRACE_BLOCK_NAME_BYTES];
    bool open = false, first = true;
    int rc = 0;
    for (size_t i = 0; i < trace->record_count && rc == 0; i++) {
        const struct sl_trace_record *record = &trace->records[i];
        if (record->variant != variant)
            continue;
        if (record->kind == SL_TRACE_EVENT)
            gather(converter, record);
        if (record->kind != SL_TRACE_BLOCK)
            continue;
        if (open)
            rc = write_events(converter);
        open = true;
        const char *name = sl_trace_block_name(trace, record, first, name_text);
        first = false;
        if (rc == 0)
            rc = sl_etdump_writer_block(converter->writer, name, strlen(name));
    }
    if (rc < 0)
        return rc;
    return open ? write_events(converter) : SL_E_NOT_FOUND;
}

/* The events of a variant's largest block, and about how large its file becomes. A parsed trace has
 * no event before the first block of its variant. */
static size_t measure(const struct sl_trace *trace, uint32_t variant, size_t *out_bytes)
{
    size_t most = 0, events = 0;
    *out_bytes = FILE_BYTES;
    for (size_t i = 0; i < trace->record_count; i++) {
        const struct sl_trace_record *record = &trace->records[i];
        if (record->variant != variant)
            continue;
        if (record->kind == SL_TRACE_BLOCK) {
            *out_bytes += BLOCK_BYTES + strlen(trace->names[record->name]);
            events = 0;
        }
        if (record->kind != SL_TRACE_EVENT)
            continue;
        *out_bytes += EVENT_BYTES + strlen(trace->names[record->name]);
        events++;
        most = events > most ? events : most;
    }
    return most;
}

static int convert(struct converter *converter, uint32_t variant, struct sl_buf *out)
{
    size_t bytes, most = measure(converter->trace, variant, &bytes);
    int rc = sl_etdump_writer_new(&converter->writer);
    if (rc < 0)
        return rc;
    sl_etdump_writer_reserve(converter->writer, bytes);
    converter->room = most;
    converter->events = sl_calloc(most, sizeof(*converter->events));
    converter->begins = sl_calloc(most, sizeof(*converter->begins));
    converter->texts = sl_calloc(most, sizeof(*converter->texts));
    if (!converter->events || !converter->begins || !converter->texts)
        return -ENOMEM;
    rc = write_blocks(converter, variant);
    return rc < 0 ? rc : sl_etdump_writer_finish(converter->writer, out);
}

int sl_trace_to_etdump(const struct sl_trace *trace, uint32_t variant, struct sl_buf *out,
                       struct sl_diag *diag)
{
    struct converter converter = {.trace = trace};
    if (trace->unit == SL_TRACE_MARKS)
        return sl_diag_set(diag, SL_E_STATE, NULL,
                           "the trace holds marks whose instruction counts are not resolved yet");
    int rc = convert(&converter, variant, out);
    if (rc == SL_E_NOT_FOUND)
        sl_diag_set(diag, rc, NULL, "the trace has no block of variant %u", (unsigned)variant);
    else if (rc == SL_E_LIMIT)
        sl_diag_set(diag, rc, NULL, "the ETDump would be larger than allowed");
    sl_etdump_writer_free(converter.writer);
    sl_free(converter.events);
    sl_free(converter.begins);
    sl_free(converter.texts);
    return rc;
}

/* agent/trace/recorder.c */
#include "agent/trace/recorder.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "agent/trace/name_table.h"
#include "agent/trace/ring.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/sltrace.h"

struct sl_recorder {
    struct sl_ring *ring; /* borrowed */
    int unit;             /* SL_TRACE_NS or SL_TRACE_MARKS */
    int error;            /* the first */
    uint16_t variant;     /* of the open block */
    uint32_t current;     /* name of the innermost event that has begun and not ended */
    uint32_t order;       /* ordinal of the next begin in the open block */
    uint64_t now_base;    /* NS: the clock at creation; MARKS: the ordinal of the next mark */
    uint64_t events, stalls;
    void (*drain)(void *user);
    void *drain_user;
    struct sl_name_table names;
    struct sl_name_table operands; /* their bytes as texts */
};

static void fail(struct sl_recorder *recorder, int code)
{
    if (recorder->error == 0)
        recorder->error = code;
}

static void wait_for_room(struct sl_recorder *recorder)
{
    if (recorder->unit == SL_TRACE_NS) /* where instructions are counted nobody sleeps */
        sl_ring_wake(recorder->ring);
    if (recorder->drain) {
        recorder->drain(recorder->drain_user);
    } else {
        struct timespec pause = {.tv_nsec = 50000};
        sched_yield();
        nanosleep(&pause, NULL);
    }
}

/* Waits for a slot; its bytes are cleared. */
static struct sl_trace_record *next_slot(struct sl_recorder *recorder, uint8_t kind)
{
    struct sl_trace_record *record;
    while (!(record = sl_ring_slot(recorder->ring)))
        wait_for_room(recorder);
    memset(record, 0, sizeof(*record));
    record->kind = kind;
    return record;
}

static void write_header(struct sl_recorder *recorder, uint64_t stream)
{
    struct sl_trace_record *record = next_slot(recorder, SL_TRACE_HEADER);
    memcpy(record->header.magic, SL_TRACE_MAGIC, sizeof(record->header.magic));
    record->header.version = SL_TRACE_VERSION;
    record->header.record_bytes = SL_TRACE_RECORD_BYTES;
    record->header.unit = (uint32_t)recorder->unit;
    record->header.stream = stream;
    sl_ring_push(recorder->ring);
}

int sl_recorder_new(struct sl_ring *ring, int unit, uint64_t stream, struct sl_recorder **out)
{
    if (unit != SL_TRACE_NS && unit != SL_TRACE_MARKS)
        return -EINVAL;
    if (sl_ring_room(ring) == 0)
        return SL_E_FULL;
    struct sl_recorder *recorder = sl_calloc(1, sizeof(*recorder));
    if (!recorder)
        return -ENOMEM;
    recorder->ring = ring;
    recorder->unit = unit;
    recorder->now_base = unit == SL_TRACE_NS ? sl_clock_ns() : 0;
    write_header(recorder, stream);
    *out = recorder;
    return 0;
}

void sl_recorder_free(struct sl_recorder *recorder)
{
    if (!recorder)
        return;
    sl_name_table_fini(&recorder->names);
    sl_name_table_fini(&recorder->operands);
    sl_free(recorder);
}

void sl_recorder_on_full(struct sl_recorder *recorder, void (*drain)(void *user), void *user)
{
    if (!recorder)
        return;
    recorder->drain = drain;
    recorder->drain_user = user;
}

static void write_name(struct sl_recorder *recorder, uint32_t id, const char *text, size_t len)
{
    size_t at = 0;
    do { /* an empty name is one record as well */
        size_t part = len - at < SL_TRACE_NAME_PART_BYTES ? len - at : SL_TRACE_NAME_PART_BYTES;
        struct sl_trace_record *record = next_slot(recorder, SL_TRACE_NAME);
        record->name = id;
        record->part.total_bytes = (uint16_t)len;
        record->part.part_offset = (uint16_t)at;
        memcpy(record->part.text, text + at, part);
        sl_ring_push(recorder->ring);
        at += part;
    } while (at < len);
}

/* The id of `len` bytes in the table; 0 after a failure. */
static uint32_t find_id(struct sl_recorder *recorder, struct sl_name_table *table,
                        const void *bytes, size_t len, bool *out_new)
{
    int64_t id = sl_name_table_intern(table, bytes, len, out_new);
    if (id < 0)
        fail(recorder, (int)id);
    return id < 0 ? 0 : (uint32_t)id;
}

static uint32_t intern(struct sl_recorder *recorder, const char *text)
{
    bool is_new = false;
    size_t len = strlen(text);
    if (len > SL_TRACE_MAX_NAME_BYTES)
        len = SL_TRACE_MAX_NAME_BYTES;
    uint32_t id = find_id(recorder, &recorder->names, text, len, &is_new);
    if (id != 0 && is_new)
        write_name(recorder, id, text, len);
    return id;
}

uint32_t sl_recorder_name(struct sl_recorder *recorder, const char *text)
{
    if (!recorder || !text)
        return 0;
    sl_mark_pause();
    uint32_t id = intern(recorder, text);
    sl_mark_resume();
    return id;
}

static void write_operands(struct sl_recorder *recorder, uint32_t id,
                           const struct sl_operands *operands)
{
    for (uint32_t i = 0; i <= operands->count; i++) {
        struct sl_trace_record *record = next_slot(recorder, SL_TRACE_OPERAND);
        record->name = id;
        record->operand.index = i;
        record->operand.count = operands->count + 1;
        record->operand.macs = operands->macs;
        record->operand.dims = i < operands->count ? operands->in[i] : operands->out;
        sl_ring_push(recorder->ring);
    }
}

uint32_t sl_recorder_operands(struct sl_recorder *recorder, const struct sl_operands *operands)
{
    bool is_new = false;
    if (!recorder || !sl_operands_are_whole(operands))
        return 0;
    sl_mark_pause();
    uint32_t id = find_id(recorder, &recorder->operands, operands, sizeof(*operands), &is_new);
    if (id != 0 && is_new)
        write_operands(recorder, id, operands);
    sl_mark_resume();
    return id;
}

/* `text` is NULL for a fact that is an integer. */
static void write_meta(struct sl_recorder *recorder, const char *key, const char *text,
                       int64_t integer)
{
    uint32_t key_id = intern(recorder, key);
    uint32_t text_id = text ? intern(recorder, text) : 0;
    if (key_id == 0 || (text && text_id == 0))
        return; /* the error is kept */
    struct sl_trace_record *record = next_slot(recorder, SL_TRACE_META);
    record->name = key_id;
    record->meta.integer = integer;
    record->meta.text = text_id;
    sl_ring_push(recorder->ring);
}

void sl_recorder_meta_text(struct sl_recorder *recorder, const char *key, const char *value)
{
    if (!recorder)
        return;
    sl_mark_pause();
    write_meta(recorder, key, value, 0);
    sl_mark_resume();
}

void sl_recorder_meta_integer(struct sl_recorder *recorder, const char *key, int64_t value)
{
    if (!recorder)
        return;
    sl_mark_pause();
    write_meta(recorder, key, NULL, value);
    sl_mark_resume();
}

void sl_recorder_block(struct sl_recorder *recorder, uint32_t name, uint16_t variant,
                       uint32_t iteration, uint32_t pair, bool warmup)
{
    if (!recorder)
        return;
    sl_mark_pause();
    struct sl_trace_record *record = next_slot(recorder, SL_TRACE_BLOCK);
    record->flags = warmup ? SL_TRACE_BLOCK_WARMUP : 0;
    record->variant = recorder->variant = variant;
    record->name = name;
    record->block.iteration = iteration;
    record->block.pair = pair;
    sl_ring_push(recorder->ring);
    recorder->order = 0;
    sl_mark_resume();
}

/* On the counted clock no counted time passes here, so there is no stall to record. */
static void wait_for(struct sl_recorder *recorder, size_t records)
{
    uint64_t start = recorder->unit == SL_TRACE_NS ? sl_clock_ns() : 0;
    while (sl_ring_room(recorder->ring) < records)
        wait_for_room(recorder);
    if (recorder->unit != SL_TRACE_NS)
        return;
    struct sl_trace_record *record = next_slot(recorder, SL_TRACE_STALL);
    record->variant = recorder->variant;
    record->stall.start = start - recorder->now_base;
    record->stall.end = sl_clock_ns() - recorder->now_base;
    sl_ring_push(recorder->ring);
    recorder->stalls++;
}

int sl_recorder_ready(struct sl_recorder *recorder, size_t events)
{
    if (!recorder)
        return 0;
    sl_mark_pause();
    int rc = 0;
    size_t records = events + 1; /* the record of the stall itself */
    if (events >= sl_ring_capacity(recorder->ring))
        rc = SL_E_LIMIT;
    else if (sl_ring_room(recorder->ring) < records)
        wait_for(recorder, records);
    if (rc < 0)
        fail(recorder, rc);
    sl_mark_resume();
    return rc;
}

static void set_current(struct sl_recorder *recorder, uint32_t name)
{
    recorder->current = name;
    sl_ring_set_current(recorder->ring, name);
}

uint64_t sl_recorder_stamp_begin(struct sl_recorder *recorder)
{
    if (__builtin_expect(recorder->unit == SL_TRACE_MARKS, 0)) {
        sl_mark_begin();
        return recorder->now_base++;
    }
    return sl_clock_ns() - recorder->now_base;
}

uint64_t sl_recorder_stamp_end(struct sl_recorder *recorder)
{
    if (__builtin_expect(recorder->unit == SL_TRACE_MARKS, 0)) {
        sl_mark_end();
        return recorder->now_base++;
    }
    return sl_clock_ns() - recorder->now_base;
}

uint32_t sl_recorder_enter(struct sl_recorder *recorder, const char *text)
{
    uint32_t name = intern(recorder, text);
    set_current(recorder, name);
    return name;
}

void sl_recorder_enter_name(struct sl_recorder *recorder, uint32_t name)
{
    set_current(recorder, name);
}

static void write_event(struct sl_recorder *recorder, const struct sl_trace_label *label,
                        const struct sl_trace_past *past)
{
    struct sl_trace_record *record = sl_ring_slot(recorder->ring);
    if (!record) {
        fail(recorder, SL_E_FULL);
        return;
    }
    record->kind = SL_TRACE_EVENT;
    record->flags = 0;
    record->variant = recorder->variant;
    record->name = label->name;
    record->event.chain = label->chain;
    record->event.instruction = label->instruction;
    record->event.start = past->start;
    record->event.end = past->end;
    record->event.kernel = label->kernel;
    record->event.origin = label->origin;
    record->event.node = label->node;
    record->event.operands = label->operands;
    record->event.order = past->order;
    record->event.event = label->event;
    sl_ring_push(recorder->ring);
    recorder->events++;
}

void sl_recorder_event(struct sl_recorder *recorder, const struct sl_trace_label *label,
                       const struct sl_trace_past *past)
{
    sl_mark_pause();
    set_current(recorder, 0);
    write_event(recorder, label, past);
    sl_mark_resume();
}

void sl_recorder_begin_slow(struct sl_recorder *recorder, struct sl_trace_span *span,
                            const struct sl_trace_label *label)
{
    span->order = recorder->order++;
    span->outer = recorder->current;
    set_current(recorder, label->name);
    span->start = sl_recorder_stamp_begin(recorder); /* last: what came before is not the event's */
}

void sl_recorder_end_slow(struct sl_recorder *recorder, const struct sl_trace_span *span,
                          const struct sl_trace_label *label)
{
    uint64_t end = sl_recorder_stamp_end(recorder); /* first */
    set_current(recorder, span->outer);
    write_event(recorder, label, &(struct sl_trace_past){span->start, end, span->order});
}

struct sl_recorder_clock sl_recorder_get_clock(const struct sl_recorder *recorder)
{
    return (struct sl_recorder_clock){recorder->unit, recorder->now_base};
}

void sl_recorder_set_clock(struct sl_recorder *recorder, struct sl_recorder_clock clock)
{
    recorder->unit = clock.unit;
    recorder->now_base = clock.base;
}

void sl_recorder_finish(struct sl_recorder *recorder)
{
    if (!recorder)
        return;
    sl_mark_pause();
    struct sl_trace_record *record = next_slot(recorder, SL_TRACE_END);
    record->end.events = recorder->events;
    record->end.stalls = recorder->stalls;
    sl_ring_push(recorder->ring);
    sl_mark_resume();
}

int sl_recorder_error(const struct sl_recorder *recorder)
{
    return recorder ? recorder->error : 0;
}

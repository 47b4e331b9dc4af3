/* host/report/perfetto.c: after Perfetto's trace_packet.proto, track_descriptor.proto and
 * track_event.proto. */
#include "host/report/perfetto.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/analysis/nesting.h"
#include "host/report/analysis.h"
#include "host/report/text.h"
#include "host/report/unit.h"

/* Field numbers of the messages. */
enum { TRACE_PACKET = 1 };
enum { PACKET_TIMESTAMP = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11, PACKET_FLAGS = 13 };
enum { PACKET_TRACK = 60, FLAG_STATE_CLEARED = 1, SEQUENCE = 1 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PARENT = 5, TRACK_COUNTER = 8 };
enum { COUNTER_UNIT_NAME = 6 };
enum { EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_CATEGORIES = 22, EVENT_NAME = 23, EVENT_VALUE = 30 };
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_COUNTER = 4 };

/* Tracks: lanes of events first, then the categories, then counters. */
enum { ROOT = 1, CATEGORIES = 2, COUNTERS = 16, LANES = 32, MAX_LANES = 64, MAX_DEPTH = 256 };
enum { READINGS = LANES + MAX_LANES };
enum { MESSAGE_BYTES = 1200 };

/* A message being written; what does not fit is a defect, for all texts are cut before. */
struct message {
    uint8_t bytes[MESSAGE_BYTES];
    size_t size;
};

/* A track of nested slices. */
struct lane {
    bool delegated, used;
    size_t depth;
    uint64_t ends[MAX_DEPTH]; /* of the open slices, outermost first */
};

struct writer {
    struct sl_buf *out;
    const struct sl_analysis *analysis;
    struct lane *lanes; /* [MAX_LANES] */
    uint32_t *order;    /* a run's events as they begin */
    struct sl_nesting nesting;
    bool flagged, read; /* the first packet, the readings were written */
    int error;
};

static void put_varint(struct message *m, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        m->bytes[m->size++] = (uint8_t)(value | 128);
    m->bytes[m->size++] = (uint8_t)value;
}

static void put_number(struct message *m, unsigned field, uint64_t value)
{
    put_varint(m, field << 3);
    put_varint(m, value);
}

static void put_bytes(struct message *m, unsigned field, const void *bytes, size_t len)
{
    put_varint(m, field << 3 | 2);
    put_varint(m, len);
    memcpy(m->bytes + m->size, bytes, len);
    m->size += len;
}

static void put_text(struct message *m, unsigned field, const char *text)
{
    put_bytes(m, field, text, strlen(text));
}

/* Ends a packet with its sequence and appends it to the trace. */
static void put_packet(struct writer *w, struct message *packet)
{
    struct message head = {.size = 0};
    put_number(packet, PACKET_SEQUENCE, SEQUENCE);
    if (!w->flagged)
        put_number(packet, PACKET_FLAGS, FLAG_STATE_CLEARED);
    w->flagged = true;
    put_varint(&head, TRACE_PACKET << 3 | 2);
    put_varint(&head, packet->size);
    if (w->error == 0)
        w->error = sl_buf_append(w->out, head.bytes, head.size);
    if (w->error == 0)
        w->error = sl_buf_append(w->out, packet->bytes, packet->size);
}

static void put_track(struct writer *w, uint64_t uuid, uint64_t parent, const char *name,
                      const char *counter_unit)
{
    struct message track = {.size = 0};
    struct message packet = {.size = 0};
    put_number(&track, TRACK_UUID, uuid);
    if (parent != 0)
        put_number(&track, TRACK_PARENT, parent);
    put_text(&track, TRACK_NAME, name);
    if (counter_unit) {
        struct message counter = {.size = 0};
        put_text(&counter, COUNTER_UNIT_NAME, counter_unit);
        put_bytes(&track, TRACK_COUNTER, counter.bytes, counter.size);
    }
    put_bytes(&packet, PACKET_TRACK, track.bytes, track.size);
    put_packet(w, &packet);
}

static void put_event(struct writer *w, uint64_t at, int type, uint64_t track, const char *name,
                      const char *category)
{
    struct message event = {.size = 0};
    struct message packet = {.size = 0};
    put_number(&event, EVENT_TYPE, (uint64_t)type);
    put_number(&event, EVENT_TRACK, track);
    if (category)
        put_text(&event, EVENT_CATEGORIES, category);
    if (name)
        put_text(&event, EVENT_NAME, name);
    put_number(&packet, PACKET_TIMESTAMP, at);
    put_bytes(&packet, PACKET_EVENT, event.bytes, event.size);
    put_packet(w, &packet);
}

static void put_counter(struct writer *w, uint64_t at, uint64_t track, int64_t value)
{
    struct message event = {.size = 0};
    struct message packet = {.size = 0};
    put_number(&event, EVENT_TYPE, TYPE_COUNTER);
    put_number(&event, EVENT_TRACK, track);
    put_number(&event, EVENT_VALUE, (uint64_t)value);
    put_number(&packet, PACKET_TIMESTAMP, at);
    put_bytes(&packet, PACKET_EVENT, event.bytes, event.size);
    put_packet(w, &packet);
}

static void put_tracks(struct writer *w)
{
    char name[SL_TEXT_SIZE + 64];
    const char *unit = sl_unit_name(w->analysis->attribution.unit);
    const char *slash = strrchr(w->analysis->file, '/');
    const char *file = slash ? slash + 1 : w->analysis->file;
    const char *dot = strrchr(file, '.');
    size_t len = dot && dot != file ? (size_t)(dot - file) : strlen(file);
    snprintf(name, sizeof(name), "%.*s (%s)", (int)(len < 400 ? len : 400), file, unit);
    put_track(w, ROOT, 0, name, NULL);
    put_track(w, CATEGORIES, ROOT, "categories, run by run", NULL);
    for (unsigned c = 0; c < SL_CATEGORY_COUNT; c++)
        put_track(w, COUNTERS + c, ROOT, sl_category_name((int)c), unit);
    put_track(w, COUNTERS + SL_CATEGORY_COUNT, ROOT, "end to end", unit);
    for (size_t i = 0; i < w->analysis->reading_count; i++) {
        const struct sl_analysis_reading *reading = &w->analysis->readings[i];
        char clean[SL_TEXT_SIZE];
        sl_text_copy(clean, reading->name, strlen(reading->name));
        put_track(w, READINGS + i, ROOT, clean, reading->unit);
    }
}

/* Ends the lane's slices that are over at `at`. */
static void close_slices(struct writer *w, unsigned i, uint64_t at)
{
    struct lane *lane = &w->lanes[i];
    while (lane->depth > 0 && lane->ends[lane->depth - 1] <= at)
        put_event(w, lane->ends[--lane->depth], TYPE_END, LANES + i, NULL, NULL);
}

/* The first lane of the event's kind on which it nests. */
static int find_lane(struct writer *w, const struct sl_nested_event *e)
{
    for (unsigned i = 0; i < MAX_LANES; i++) {
        struct lane *lane = &w->lanes[i];
        size_t depth = lane->depth;
        if (lane->used && lane->delegated != e->delegated)
            continue;
        while (depth > 0 && lane->ends[depth - 1] <= e->start)
            depth--;
        if (depth < MAX_DEPTH && (depth == 0 || lane->ends[depth - 1] >= e->end))
            return (int)i;
    }
    return -1;
}

static void put_slice(struct writer *w, const struct sl_nested_event *e, const char *name,
                      const char *category)
{
    int found = e->start <= e->end ? find_lane(w, e) : -1;
    if (found < 0) /* it ends before it begins, or everything crosses everything */
        return;
    unsigned i = (unsigned)found;
    struct lane *lane = &w->lanes[i];
    if (!lane->used)
        put_track(w, LANES + i, ROOT, e->delegated ? "delegates" : "runtime", NULL);
    lane->used = true;
    lane->delegated = e->delegated;
    close_slices(w, i, e->start);
    put_event(w, e->start, TYPE_BEGIN, LANES + i, name, category);
    lane->ends[lane->depth++] = e->end;
}

static _Thread_local const struct sl_nested_event *sorted_events; /* of the qsort() that runs */

/* Sorts by begin, then longer events first, then later ones of the file first: an event is recorded
 * after those it holds. */
static int by_begin(const void *a, const void *b)
{
    uint32_t i = *(const uint32_t *)a;
    uint32_t k = *(const uint32_t *)b;
    const struct sl_nested_event *x = &sorted_events[i];
    const struct sl_nested_event *y = &sorted_events[k];
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return i > k ? -1 : i < k;
}

static int put_events(struct writer *w, const struct sl_attribution_run *run, size_t first)
{
    const struct sl_attribution *a = &w->analysis->attribution;
    const struct sl_etdump_run *block = &w->analysis->etdump->runs[run->block];
    struct sl_nesting_result result;
    int rc = sl_nesting_build(&w->nesting, block, &result);
    uint32_t count = 0;
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < block->event_count; i++) {
        if (w->nesting.events[i].profile)
            w->order[count++] = i;
    }
    sorted_events = w->nesting.events;
    qsort(w->order, count, sizeof(*w->order), by_begin);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = w->order[k];
        struct sl_etdump_event room;
        char name[SL_TEXT_SIZE];
        const struct sl_etdump_event *e = sl_etdump_event_read(block, i, &room);
        const struct sl_operator *op = &a->operators[a->event_operators[first + i]];
        const char *text = e->delegate_id ? e->delegate_id : e->name;
        uint32_t len = e->delegate_id ? e->delegate_id_len : e->name_len;
        sl_text_copy(name, text ? text : op->name, text ? len : op->name_len);
        put_slice(w, &w->nesting.events[i], name, sl_category_name(op->category));
    }
    for (unsigned i = 0; i < MAX_LANES; i++)
        close_slices(w, i, UINT64_MAX);
    return 0;
}

/* Puts the readings that were known before the runs at the begin of the first one. */
static void put_readings(struct writer *w, uint64_t at)
{
    for (size_t i = 0; i < w->analysis->reading_count && !w->read; i++)
        put_counter(w, at, READINGS + i, w->analysis->readings[i].value);
    w->read = true;
}

/* The run's categories one after the other from its begin on, and the counters. */
static void put_categories(struct writer *w, const struct sl_attribution_run *run)
{
    uint64_t begin = UINT64_MAX;
    const struct sl_etdump_run *block = &w->analysis->etdump->runs[run->block];
    for (uint32_t i = 0; i < block->event_count; i++) {
        const struct sl_nested_event *e = &w->nesting.events[i];
        if (e->profile && e->start < begin)
            begin = e->start;
    }
    if (begin == UINT64_MAX)
        return;
    put_readings(w, begin);
    uint64_t at = begin;
    for (unsigned c = 0; c < SL_CATEGORY_COUNT; c++) {
        int64_t took = run->categories[c];
        put_counter(w, begin, COUNTERS + c, took);
        if (took <= 0)
            continue;
        put_event(w, at, TYPE_BEGIN, CATEGORIES, sl_category_name((int)c), NULL);
        at += (uint64_t)took;
        put_event(w, at, TYPE_END, CATEGORIES, NULL, NULL);
    }
    put_counter(w, begin, COUNTERS + SL_CATEGORY_COUNT, run->end_to_end);
}

static int put_runs(struct writer *w)
{
    const struct sl_attribution *a = &w->analysis->attribution;
    const struct sl_etdump *etdump = w->analysis->etdump;
    size_t first = 0;
    size_t next = 0;
    for (uint32_t b = 0; b < etdump->run_count && next < a->run_count; b++) {
        if (a->runs[next].block == b) {
            int rc = put_events(w, &a->runs[next], first);
            if (rc < 0)
                return rc;
            put_categories(w, &a->runs[next++]);
        }
        first += etdump->runs[b].event_count;
    }
    return w->error;
}

int sl_perfetto_trace(struct sl_buf *out, const struct sl_analysis *analysis)
{
    struct writer w = {.out = out, .analysis = analysis};
    uint32_t most = 1;
    for (uint32_t b = 0; b < analysis->etdump->run_count; b++) {
        uint32_t count = analysis->etdump->runs[b].event_count;
        most = count > most ? count : most;
    }
    w.lanes = sl_calloc(MAX_LANES, sizeof(*w.lanes));
    w.order = sl_malloc(most, sizeof(*w.order));
    int rc = w.lanes && w.order ? 0 : -ENOMEM;
    if (rc == 0) {
        put_tracks(&w);
        rc = put_runs(&w);
    }
    sl_nesting_fini(&w.nesting);
    sl_free(w.lanes);
    sl_free(w.order);
    return rc;
}

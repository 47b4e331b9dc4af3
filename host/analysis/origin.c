/* host/analysis/origin.c */
#include "host/analysis/origin.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/etdump.h"
#include "common/format/sltrace.h"
#include "common/format/trace_etdump.h"

/* Walks one variant's records of a kind that matters. */
struct cursor {
    const struct sl_trace *trace;
    size_t at;
    uint32_t variant;
};

static const struct sl_trace_record *next_record(struct cursor *c)
{
    while (c->at < c->trace->record_count) {
        const struct sl_trace_record *record = &c->trace->records[c->at++];
        bool counts = record->kind == SL_TRACE_BLOCK || record->kind == SL_TRACE_EVENT;
        if (counts && record->variant == c->variant)
            return record;
    }
    return NULL;
}

static bool same_text(const struct sl_trace *trace, uint32_t name, const char *text, size_t len)
{
    const char *known = name <= trace->name_count ? trace->names[name] : "";
    return text && strlen(known) == len && memcmp(known, text, len) == 0;
}

/* Earlier versions named blocks as the trace does. */
static bool same_block(const struct sl_trace *trace, const struct sl_trace_record *block,
                       bool first, const struct sl_etdump_run *run)
{
    char name[SL_TRACE_BLOCK_NAME_BYTES];
    sl_trace_block_name(trace, block, first, name);
    return same_text(trace, block->name, run->name, run->name_len) ||
           (run->name && strlen(name) == run->name_len &&
            memcmp(name, run->name, run->name_len) == 0);
}

static bool is_marker(const struct sl_etdump_event *event)
{
    size_t len = strlen(SL_ETDUMP_INSTRUCTIONS_MARKER);
    return event->name && event->name_len == len &&
           memcmp(event->name, SL_ETDUMP_INSTRUCTIONS_MARKER, len) == 0;
}

static bool same_event(const struct sl_trace *trace, const struct sl_trace_record *record,
                       const struct sl_etdump_event *event)
{
    const char *text = event->delegate_id ? event->delegate_id : event->name;
    uint32_t len = event->delegate_id ? event->delegate_id_len : event->name_len;
    return record && record->kind == SL_TRACE_EVENT && record->event.start == event->start &&
           record->event.end == event->end && same_text(trace, record->name, text, len);
}

/* Fills `out` for the cursor's variant as far as the file agrees; true if all of it does. */
static bool match_variant(const struct sl_etdump *etdump, struct cursor *c, struct sl_origin *out)
{
    size_t k = 0;
    for (uint32_t r = 0; r < etdump->run_count; r++) {
        const struct sl_etdump_run *run = &etdump->runs[r];
        out->blocks[r] = next_record(c);
        if (!out->blocks[r] || out->blocks[r]->kind != SL_TRACE_BLOCK ||
            !same_block(c->trace, out->blocks[r], r == 0, run))
            return false;
        for (uint32_t i = 0; i < run->event_count; i++, k++) {
            struct sl_etdump_event room;
            const struct sl_etdump_event *event = sl_etdump_event_read(run, i, &room);
            bool marker = is_marker(event);
            out->events[k] = marker ? NULL : next_record(c);
            if (!marker && !same_event(c->trace, out->events[k], event))
                return false;
        }
    }
    return next_record(c) == NULL;
}

static uint32_t variant_count(const struct sl_trace *trace)
{
    uint32_t count = 0;
    for (size_t i = 0; i < trace->record_count; i++) {
        const struct sl_trace_record *record = &trace->records[i];
        if (record->kind == SL_TRACE_BLOCK && record->variant >= count)
            count = record->variant + 1u;
    }
    return count;
}

int sl_origin_match(const struct sl_etdump *etdump, const struct sl_trace *trace,
                    struct sl_origin *out, struct sl_diag *diag)
{
    struct sl_origin origin = {0};
    size_t events = 0;
    for (uint32_t r = 0; r < etdump->run_count; r++)
        events += etdump->runs[r].event_count;
    origin.blocks = sl_calloc(etdump->run_count, sizeof(*origin.blocks));
    origin.events = sl_calloc(events, sizeof(*origin.events));
    int rc = -ENOMEM;
    if (!origin.blocks || !origin.events)
        goto fail;
    uint32_t variants = variant_count(trace);
    for (uint32_t v = 0; v < variants; v++) {
        struct cursor c = {.trace = trace, .variant = v};
        if (!match_variant(etdump, &c, &origin))
            continue;
        origin.variant = v;
        *out = origin;
        return 0;
    }
    rc = sl_diag_set(diag, SL_E_MISMATCH, NULL, "the trace is not the one this ETDump was made of");
fail:
    sl_origin_fini(&origin);
    return rc;
}

void sl_origin_fini(struct sl_origin *origin)
{
    sl_free(origin->blocks);
    sl_free(origin->events);
    *origin = (struct sl_origin){0};
}

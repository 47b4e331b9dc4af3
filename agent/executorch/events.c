/* agent/executorch/events.c */
#include "agent/executorch/events.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "agent/executorch/apart.h"
#include "agent/executorch/stamps.h"
#include "agent/runtime/runtime.h"
#include "agent/trace/recorder.h"
#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/sltrace.h"

enum { MAX_EVENTS = 1 << 20, MAX_NAMES_BYTES = 1 << 26, FIRST_ROOM = 1024, MAX_AFTER = 4096 };
enum { NAME_BYTES = 151 };

struct event {
    uint32_t name; /* where its text is in `names` */
    int32_t chain;
    uint32_t instruction;
    uint32_t kind; /* enum sl_trace_event_kind */
    const char *kernel;
    struct sl_trace_past past;
};

/* A delegate's operator as a warm-up showed it; they stand in their order. */
struct shown {
    int32_t chain;
    uint32_t instruction;
    const char *kernel; /* NULL: none with a name */
};

struct sl_runtime_events {
    struct sl_recorder *recorder; /* borrowed */
    int traced;                   /* SL_VARIANT_* */
    bool without_sme;
    char forbidden[NAME_BYTES]; /* an operator of SME; empty: none */
    struct event *events;       /* in the order of their begins */
    uint32_t *ended;            /* places in `events`, in the order of their ends */
    size_t count, ended_count, room, last_count;
    struct sl_buf names; /* of all events, terminated */
    struct sl_buf shown; /* struct shown */
    size_t delegates;    /* operators of delegates in this execution */
    size_t next_stamp;
    struct sl_buf after; /* names that stand for a place in a delegate call, by stamps before it */
    char *current;       /* borrowed: where the name of what begins is left; NULL: nobody looks */
    int error;           /* the first */
};

/* An event on its way to another process; its two texts follow. */
struct packed {
    struct sl_trace_past past;
    int32_t chain;
    uint32_t instruction, kind, name_bytes, kernel_bytes; /* terminated; 0: there is none */
};

struct sl_runtime_events *sl_runtime_events_new(struct sl_recorder *recorder)
{
    struct sl_runtime_events *events = sl_calloc(1, sizeof(*events));
    if (!events)
        return NULL;
    events->recorder = recorder;
    events->traced = recorder ? SL_VARIANT_TRACED : SL_VARIANT_UNTRACED;
    sl_buf_init(&events->names, MAX_NAMES_BYTES);
    sl_buf_init(&events->shown, MAX_EVENTS * sizeof(struct shown));
    sl_buf_init(&events->after, MAX_AFTER * sizeof(uint32_t));
    return events;
}

void sl_runtime_events_free(struct sl_runtime_events *events)
{
    if (!events)
        return;
    sl_buf_fini(&events->names);
    sl_buf_fini(&events->shown);
    sl_buf_fini(&events->after);
    sl_stamps_tell(NULL, NULL);
    sl_free(events->events);
    sl_free(events->ended);
    sl_free(events);
}

static int grow(struct sl_runtime_events *events)
{
    size_t room = events->room ? 2 * events->room : FIRST_ROOM;
    if (room > MAX_EVENTS)
        return SL_E_LIMIT;
    struct event *more = sl_realloc(events->events, room, sizeof(*more));
    if (!more)
        return -ENOMEM;
    events->events = more;
    uint32_t *ended = sl_realloc(events->ended, room, sizeof(*ended));
    if (!ended)
        return -ENOMEM;
    events->ended = ended;
    events->room = room;
    return 0;
}

/* Keeps the first. */
static void fail(struct sl_runtime_events *events, int rc)
{
    events->error = events->error ? events->error : rc;
}

/* The next event, whose begin takes the next ordinal; NULL when there is no room. */
static struct event *append(struct sl_runtime_events *events, const char *name, int32_t chain,
                            uint32_t instruction)
{
    size_t at = events->names.size;
    int rc = events->count < events->room ? 0 : grow(events);
    if (rc == 0)
        rc = sl_buf_append(&events->names, name, strlen(name) + 1);
    if (rc < 0) {
        fail(events, rc);
        return NULL;
    }
    struct event *event = &events->events[events->count];
    *event = (struct event){.name = (uint32_t)at, .chain = chain, .instruction = instruction};
    event->past.order = (uint32_t)events->count++;
    return event;
}

/* True if the events inside Method::execute are kept too, not that one alone. */
static bool keeps_all(const struct sl_runtime_events *events)
{
    return events->traced == SL_VARIANT_TRACED || events->traced == SL_VARIANT_WARM_UP;
}

int64_t sl_runtime_events_begin(struct sl_runtime_events *events, const char *name, int32_t chain,
                                uint32_t instruction)
{
    bool whole = events->traced == SL_VARIANT_WHOLE && strcmp(name, "Method::execute") == 0;
    struct event *event =
        whole || keeps_all(events) ? append(events, name, chain, instruction) : NULL;
    if (!event)
        return -1;
    sl_recorder_enter(events->recorder, name);
    if (events->current)
        snprintf(events->current, SL_APART_SHARED_BYTES, "%s", name);
    event->kind = chain < 0 ? SL_TRACE_FRAMEWORK : SL_TRACE_OPERATOR;
    events->next_stamp = 0;
    sl_stamps_clear();
    event->past.start = sl_recorder_stamp_begin(events->recorder); /* last */
    return event->past.order;
}

void sl_runtime_events_end(struct sl_runtime_events *events, int64_t number)
{
    const struct sl_stamp *stamps;
    if (number < 0)
        return;
    events->events[number].past.end = sl_recorder_stamp_end(events->recorder); /* first */
    events->ended[events->ended_count++] = (uint32_t)number;
    if (events->next_stamp != 0 && events->next_stamp + 1 != sl_stamps_get(&stamps))
        fail(events, SL_E_STATE);
}

/* The kernel of the operator that is appended: that of this execution, if it is watched, else of
 * one before it. What control flow has put in another place since then has none. */
static int find_kernel(struct sl_runtime_events *events, struct event *event, const char *called)
{
    const struct shown now = {event->chain, event->instruction, called};
    struct shown *shown = (struct shown *)(void *)events->shown.data;
    size_t nth = events->delegates++, count = events->shown.size / sizeof(now);
    event->kernel = called;
    if (nth >= count)
        return sl_buf_append(&events->shown, &now, sizeof(now));
    if (called)
        shown[nth] = now;
    else if (shown[nth].chain == now.chain && shown[nth].instruction == now.instruction)
        event->kernel = shown[nth].kernel;
    return 0;
}

static void append_delegate(struct sl_runtime_events *events, const char *name, int32_t chain,
                            uint32_t instruction, size_t own)
{
    const struct sl_stamp *stamps;
    const char *kernel = NULL;
    size_t first = events->next_stamp, count = sl_stamps_get(&stamps);
    if (own == 0 || first >= count || own >= count - first) {
        fail(events, SL_E_STATE);
        return;
    }
    events->next_stamp += own;
    for (size_t i = first + 1; i <= first + own && !kernel; i++)
        kernel = stamps[i].kernel;
    struct event *event = append(events, name, chain, instruction);
    int rc = event ? find_kernel(events, event, kernel) : 0;
    if (!event || rc < 0) {
        fail(events, rc);
        return;
    }
    event->kind = SL_TRACE_DELEGATE;
    event->past.start = stamps[first].begin;
    event->past.end = stamps[first + own].end;
    events->ended[events->ended_count++] = event->past.order;
}

/* XNNPACK gives operators that run KleidiAI's SME kernels these names. */
static bool is_of_sme(const char *name)
{
    return strstr(name, "PF32") || strstr(name, "PF16") || strstr(name, "PQS8");
}

void sl_runtime_events_delegate(struct sl_runtime_events *events, const char *name, int32_t chain,
                                uint32_t instruction, uint64_t reported_ns)
{
    const uint64_t own = (reported_ns + SL_STAMPS_STEP_NS / 2) / SL_STAMPS_STEP_NS;
    bool paused = sl_stamps_paused(); /* pauses do not nest */
    if (!paused)
        sl_mark_pause();
    if (events->without_sme && is_of_sme(name))
        snprintf(events->forbidden, sizeof(events->forbidden), "%s", name);
    if (keeps_all(events))
        append_delegate(events, name, chain, instruction, (size_t)own);
    if (!paused)
        sl_mark_resume();
}

static int write_event(struct sl_recorder *recorder, const struct packed *event, const char *name,
                       const char *kernel)
{
    bool framework = event->kind == SL_TRACE_FRAMEWORK;
    const struct sl_trace_label label = {
        .name = sl_recorder_name(recorder, name),
        .kernel = sl_recorder_name(recorder, kernel),
        .node = SL_TRACE_NO_NODE,
        .chain = framework ? -1 : event->chain,
        .instruction = framework ? 0 : (int32_t)event->instruction,
        .event = event->kind,
    };
    int rc = sl_recorder_ready(recorder, 1);
    if (rc == 0)
        sl_recorder_event(recorder, &label, &event->past);
    return rc;
}

static int pack_event(struct sl_buf *out, const struct packed *event, const char *name,
                      const char *kernel)
{
    int rc = sl_buf_append(out, event, sizeof(*event));
    if (rc == 0)
        rc = sl_buf_append(out, name, event->name_bytes);
    return rc == 0 ? sl_buf_append(out, kernel, event->kernel_bytes) : rc;
}

/* Over with the execution: its events in the order of their ends, as records or into `out`. */
static int finish(struct sl_runtime_events *events, struct sl_buf *out)
{
    int rc = events->error;
    for (size_t i = 0; i < events->ended_count && rc == 0; i++) {
        const struct event *event = &events->events[events->ended[i]];
        const char *name = (const char *)events->names.data + event->name;
        const struct packed packed = {
            .past = event->past,
            .chain = event->chain,
            .instruction = event->instruction,
            .kind = event->kind,
            .name_bytes = (uint32_t)strlen(name) + 1,
            .kernel_bytes = event->kernel ? (uint32_t)strlen(event->kernel) + 1 : 0,
        };
        rc = out ? pack_event(out, &packed, name, event->kernel)
                 : write_event(events->recorder, &packed, name, event->kernel);
    }
    events->last_count = events->ended_count;
    events->count = events->ended_count = 0;
    events->names.size = events->delegates = 0;
    events->error = 0;
    return rc;
}

int sl_runtime_events_flush(struct sl_runtime_events *events)
{
    return finish(events, NULL);
}

int sl_runtime_events_pack(struct sl_runtime_events *events, struct sl_buf *out)
{
    return finish(events, out);
}

/* A terminated text of `size` bytes; NULL where there is none. */
static const char *take_text(struct sl_bytes *from, uint32_t size, int *rc)
{
    const char *text = (const char *)from->data;
    if (size == 0)
        return NULL;
    if (size > from->size || text[size - 1] != '\0') {
        *rc = SL_E_FORMAT;
        return NULL;
    }
    from->data += size;
    from->size -= size;
    return text;
}

int sl_runtime_events_unpack(struct sl_runtime_events *events, struct sl_bytes packed)
{
    int rc = 0;
    for (events->last_count = 0; packed.size > 0 && rc == 0; events->last_count++) {
        struct packed event;
        if (packed.size < sizeof(event))
            return SL_E_FORMAT;
        memcpy(&event, packed.data, sizeof(event));
        packed.data += sizeof(event);
        packed.size -= sizeof(event);
        const char *name = take_text(&packed, event.name_bytes, &rc);
        const char *kernel = take_text(&packed, event.kernel_bytes, &rc);
        if (rc == 0)
            rc = name ? write_event(events->recorder, &event, name, kernel) : SL_E_FORMAT;
    }
    return rc;
}

void sl_runtime_events_leave_current(struct sl_runtime_events *events, char *current)
{
    events->current = current;
}

/* Makes the next name of those, and leaves it where the other process looks. */
static void name_operator(struct sl_runtime_events *events, size_t nth, bool is_new)
{
    char text[64];
    snprintf(text, sizeof(text), "DELEGATE_CALL, after %zu of its operators", nth - 1);
    if (events->current)
        snprintf(events->current, SL_APART_SHARED_BYTES, "%s", text);
    if (!is_new)
        return;
    uint32_t name = sl_recorder_enter(events->recorder, text);
    int rc = sl_buf_append(&events->after, &name, sizeof(name));
    if (rc < 0)
        fail(events, rc);
}

static void enter_operator(void *user, size_t nth)
{
    struct sl_runtime_events *events = user;
    const uint32_t *after = (const uint32_t *)(const void *)events->after.data;
    size_t known = events->after.size / sizeof(*after);
    if (nth <= known)
        sl_recorder_enter_name(events->recorder, after[nth - 1]);
    if (events->traced == SL_VARIANT_WARM_UP && nth <= MAX_AFTER)
        name_operator(events, nth, nth == known + 1);
}

void sl_runtime_events_keep(struct sl_runtime_events *events, int traced)
{
    events->traced = events->recorder ? traced : SL_VARIANT_UNTRACED;
    sl_stamps_tell(events->recorder ? enter_operator : NULL, events);
}

void sl_runtime_events_forbid_sme(struct sl_runtime_events *events)
{
    events->without_sme = true;
}

const char *sl_runtime_events_forbidden(const struct sl_runtime_events *events)
{
    return events->forbidden[0] ? events->forbidden : NULL;
}

size_t sl_runtime_events_count(const struct sl_runtime_events *events)
{
    return events->last_count;
}

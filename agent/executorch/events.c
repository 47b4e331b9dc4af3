/* agent/executorch/events.c */
#include "agent/executorch/events.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "agent/executorch/stamps.h"
#include "agent/trace/recorder.h"
#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/sltrace.h"

enum { MAX_EVENTS = 1 << 20, MAX_NAMES_BYTES = 1 << 26, FIRST_ROOM = 1024 };

struct event {
    uint32_t name; /* interned; of a delegate's operator: where its text is in `names` */
    int32_t chain;
    uint32_t instruction;
    uint32_t kind; /* enum sl_trace_event_kind */
    const char *kernel;
    struct sl_trace_past past;
};

/* What a warm-up showed of the delegates' operators, in their order. */
struct shown {
    int32_t chain;
    uint32_t instruction;
    const char *kernel; /* NULL: none with a name */
};

struct sl_events {
    struct sl_recorder *recorder; /* borrowed */
    struct event *events;         /* in the order of their begins */
    uint32_t *ended;              /* places in `events`, in the order of their ends */
    size_t count, ended_count, room, last_count;
    struct sl_buf names; /* of delegates' operators, terminated */
    struct sl_buf shown; /* struct shown */
    size_t delegates;    /* operators of delegates in this execution */
    size_t next_stamp;
    int error; /* the first */
};

struct sl_events *sl_events_new(struct sl_recorder *recorder)
{
    struct sl_events *events = sl_calloc(1, sizeof(*events));
    if (!events)
        return NULL;
    events->recorder = recorder;
    sl_buf_init(&events->names, MAX_NAMES_BYTES);
    sl_buf_init(&events->shown, MAX_EVENTS * sizeof(struct shown));
    return events;
}

void sl_events_free(struct sl_events *events)
{
    if (!events)
        return;
    sl_buf_fini(&events->names);
    sl_buf_fini(&events->shown);
    sl_free(events->events);
    sl_free(events->ended);
    sl_free(events);
}

static int grow(struct sl_events *events)
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

/* The next event, whose begin takes the next ordinal; NULL when there is no room. */
static struct event *append(struct sl_events *events, int32_t chain, uint32_t instruction)
{
    int rc = events->count < events->room ? 0 : grow(events);
    if (rc < 0) {
        events->error = events->error ? events->error : rc;
        return NULL;
    }
    struct event *event = &events->events[events->count];
    *event = (struct event){.chain = chain, .instruction = instruction};
    event->past.order = (uint32_t)events->count++;
    return event;
}

int64_t sl_events_begin(struct sl_events *events, const char *name, int32_t chain,
                        uint32_t instruction)
{
    int64_t number = -1;
    sl_mark_pause();
    struct event *event = append(events, chain, instruction);
    if (event) {
        number = event->past.order;
        event->name = sl_recorder_enter(events->recorder, name);
        event->kind = chain < 0 ? SL_TRACE_FRAMEWORK : SL_TRACE_OPERATOR;
        events->next_stamp = 0;
        sl_stamps_clear();
        event->past.start = sl_recorder_stamp_begin(events->recorder);
    }
    sl_mark_resume();
    return number;
}

void sl_events_end(struct sl_events *events, int64_t number)
{
    if (number < 0)
        return;
    sl_mark_pause();
    events->events[number].past.end = sl_recorder_stamp_end(events->recorder);
    events->ended[events->ended_count++] = (uint32_t)number;
    sl_mark_resume();
}

/* The kernel of the operator that is appended: that of this execution, if it is watched, else of
 * one before it. What control flow has put in another place since then has none. */
static int find_kernel(struct sl_events *events, struct event *event, const char *called)
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

static void append_delegate(struct sl_events *events, const char *name, int32_t chain,
                            uint32_t instruction)
{
    const struct sl_stamp *stamps;
    size_t at = events->names.size;
    if (events->next_stamp + 1 >= sl_stamps_get(&stamps)) {
        events->error = events->error ? events->error : SL_E_STATE;
        return;
    }
    int rc = sl_buf_append(&events->names, name, strlen(name) + 1);
    struct event *event = rc < 0 ? NULL : append(events, chain, instruction);
    if (event)
        rc = find_kernel(events, event, stamps[events->next_stamp + 1].kernel);
    if (!event || rc < 0) {
        events->error = events->error ? events->error : rc;
        return;
    }
    event->name = (uint32_t)at;
    event->kind = SL_TRACE_DELEGATE;
    event->past.start = stamps[events->next_stamp++].begin;
    event->past.end = stamps[events->next_stamp].end;
    events->ended[events->ended_count++] = event->past.order;
}

void sl_events_delegate(struct sl_events *events, const char *name, int32_t chain,
                        uint32_t instruction)
{
    bool paused = sl_stamps_paused(); /* pauses do not nest */
    if (!paused)
        sl_mark_pause();
    append_delegate(events, name, chain, instruction);
    if (!paused)
        sl_mark_resume();
}

static int write_event(struct sl_events *events, const struct event *event)
{
    bool framework = event->kind == SL_TRACE_FRAMEWORK;
    struct sl_trace_label label = {
        .name = event->name,
        .node = SL_TRACE_NO_NODE,
        .chain = framework ? -1 : event->chain,
        .instruction = framework ? 0 : (int32_t)event->instruction,
        .event = event->kind,
    };
    if (event->kind == SL_TRACE_DELEGATE)
        label.name =
            sl_recorder_name(events->recorder, (const char *)events->names.data + event->name);
    if (event->kernel)
        label.kernel = sl_recorder_name(events->recorder, event->kernel);
    int rc = sl_recorder_ready(events->recorder, 1);
    if (rc == 0)
        sl_recorder_event(events->recorder, &label, &event->past);
    return rc;
}

int sl_events_flush(struct sl_events *events)
{
    int rc = events->error;
    for (size_t i = 0; i < events->ended_count && rc == 0; i++)
        rc = write_event(events, &events->events[events->ended[i]]);
    events->last_count = events->ended_count;
    events->count = events->ended_count = 0;
    events->names.size = events->delegates = 0;
    events->error = 0;
    return rc;
}

size_t sl_events_count(const struct sl_events *events)
{
    return events->last_count;
}

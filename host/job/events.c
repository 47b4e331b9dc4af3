/* host/job/events.c */
#include "host/job/events.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <uv.h>

#include "common/base/mem.h"

struct kept {
    uint64_t id, job;
    const char *type;
    char json[SL_EVENTS_JSON_BYTES];
};

struct sl_lab_listener {
    struct sl_lab_listener *next;
    struct sl_events *events;
    uint64_t job, seen; /* 0: all; id of the last event looked at */
    sl_lab_event_fn on_event;
    void *user;
    bool ended; /* inside a delivery: freed after it */
};

struct sl_events {
    uv_async_t wake;
    uint64_t first, last; /* id of the first there was, and of the newest: one less before that */
    struct sl_lab_listener *listeners;
    bool delivering;
    void (*closed)(void *user);
    void *closed_user;
    struct kept ring[SL_LAB_EVENTS_KEPT]; /* event id at id % SL_LAB_EVENTS_KEPT */
};

/* Takes out the listeners that ended while they were being called. */
static void sweep(struct sl_events *events)
{
    struct sl_lab_listener **at = &events->listeners;
    while (*at) {
        struct sl_lab_listener *listener = *at;
        if (listener->ended) {
            *at = listener->next;
            sl_free(listener);
        } else {
            at = &listener->next;
        }
    }
}

static void deliver(struct sl_events *events, struct sl_lab_listener *listener)
{
    uint64_t told = events->last + 1 - events->first;
    uint64_t oldest =
        told > SL_LAB_EVENTS_KEPT ? events->last - SL_LAB_EVENTS_KEPT + 1 : events->first;
    if (listener->seen + 1 < oldest) {
        const struct sl_lab_event missed = {oldest - 1, 0, "missed", "{}"};
        listener->seen = oldest - 1;
        listener->on_event(listener->user, &missed);
    }
    while (!listener->ended && listener->seen < events->last) {
        const struct kept *kept = &events->ring[++listener->seen % SL_LAB_EVENTS_KEPT];
        struct sl_lab_event event = {kept->id, kept->job, kept->type, kept->json};
        if (listener->job == 0 || listener->job == kept->job)
            listener->on_event(listener->user, &event);
    }
}

static void on_wake(uv_async_t *async)
{
    struct sl_events *events = async->data;
    events->delivering = true;
    for (struct sl_lab_listener *listener = events->listeners; listener; listener = listener->next)
        deliver(events, listener);
    events->delivering = false;
    sweep(events);
}

int sl_events_new(uv_loop_t *loop, uint64_t last, struct sl_events **out)
{
    struct sl_events *events = sl_calloc(1, sizeof(*events));
    if (!events)
        return -ENOMEM;
    int rc = uv_async_init(loop, &events->wake, on_wake);
    if (rc < 0) {
        sl_free(events);
        return rc;
    }
    events->wake.data = events;
    events->last = last;
    events->first = last + 1;
    *out = events;
    return 0;
}

static void on_closed(uv_handle_t *handle)
{
    struct sl_events *events = handle->data;
    void (*closed)(void *) = events->closed;
    void *user = events->closed_user;
    sl_free(events);
    closed(user);
}

void sl_events_close(struct sl_events *events, void (*closed)(void *user), void *user)
{
    assert(!events->listeners);
    events->closed = closed;
    events->closed_user = user;
    uv_close((uv_handle_t *)&events->wake, on_closed);
}

void sl_events_add(struct sl_events *events, uint64_t job, const char *type, const char *json)
{
    assert(strlen(json) < SL_EVENTS_JSON_BYTES);
    struct kept *kept = &events->ring[++events->last % SL_LAB_EVENTS_KEPT];
    kept->id = events->last;
    kept->job = job;
    kept->type = type;
    snprintf(kept->json, sizeof(kept->json), "%s", json);
    if (events->listeners)
        uv_async_send(&events->wake);
}

int sl_events_listen(struct sl_events *events, uint64_t job, uint64_t after,
                     sl_lab_event_fn on_event, void *user, struct sl_lab_listener **out)
{
    struct sl_lab_listener *listener = sl_calloc(1, sizeof(*listener));
    if (!listener)
        return -ENOMEM;
    *listener = (struct sl_lab_listener){.next = events->listeners,
                                         .events = events,
                                         .job = job,
                                         .on_event = on_event,
                                         .user = user};
    listener->seen = after == 0 || after > events->last
                         ? events->last
                         : after; /* a number that no daemon has given yet: only new ones */
    events->listeners = listener;
    *out = listener;
    uv_async_send(&events->wake);
    return 0;
}

void sl_lab_unlisten(struct sl_lab_listener *listener)
{
    struct sl_events *events = listener->events;
    listener->ended = true;
    if (!events->delivering)
        sweep(events);
}

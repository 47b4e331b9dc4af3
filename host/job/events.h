/* host/job/events.h: the last things that happened to jobs, for those who listen and those who come
 * back. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct uv_loop_s uv_loop_t;
struct sl_events;

enum { SL_LAB_EVENTS_KEPT = 4096, SL_EVENTS_JSON_BYTES = 512 };

/* An event of a job or a device. The daemon numbers them without holes; a later daemon goes on with
 * higher numbers. The last SL_LAB_EVENTS_KEPT are kept for those who come back. */
struct sl_lab_event {
    uint64_t id;
    uint64_t job;     /* 0: it is about none */
    const char *type; /* "state", "progress", "log", "device", "results", "missed": the SSE event
                         name. Static storage */
    const char *json; /* one object, no newline; borrowed for the call */
};
typedef void (*sl_lab_event_fn)(void *user, const struct sl_lab_event *event);
struct sl_lab_listener;

/* Listeners are called from an idle turn of the loop, never inside a call that made an event. The
 * first event has the number after `last`. 0, -ENOMEM or libuv's code. */
int sl_events_new(uv_loop_t *loop, uint64_t last, struct sl_events **out);
/* No listener may be left. `closed` comes last. */
void sl_events_close(struct sl_events *events, void (*closed)(void *user), void *user);

/* Keeps an event; the oldest goes when there are SL_LAB_EVENTS_KEPT. JSON longer than
 * SL_EVENTS_JSON_BYTES - 1 is a bug of the caller. */
void sl_events_add(struct sl_events *events, uint64_t job, const char *type, const char *json);

/* Listens to one job, or to all jobs and devices (0), from the event after `after` on (0: from now
 * on). "missed", about no job, comes first where some of these are kept no more. */
int sl_events_listen(struct sl_events *events, uint64_t job, uint64_t after,
                     sl_lab_event_fn on_event, void *user, struct sl_lab_listener **out);
void sl_lab_unlisten(struct sl_lab_listener *listener);

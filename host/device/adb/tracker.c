/* host/device/adb/tracker.c */
#include "host/device/adb/tracker.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "host/device/adb/smart_socket.h"
#include "host/device/adb/stream.h"

enum { RETRY_FIRST_MS = 500, RETRY_LAST_MS = 30000 };

struct sl_adb_tracker {
    uv_loop_t *loop;
    sl_adb_tracker_fn changed;
    void *user;
    struct sl_adb_stream *stream; /* NULL between tries */
    struct sl_adb_texts texts;
    struct sl_buf text;
    uv_timer_t timer; /* the next try */
    uint64_t wait_ms;
    bool closing;
    struct sl_adb_listed listed[SL_ADB_MAX_LISTED];
    size_t count;
    bool told;
    char why[SL_ADB_REASON_BYTES]; /* nothing is known; "": it is */
    void (*closed)(void *user);
    void *closed_user;
};

static void on_timer(uv_timer_t *timer);

void sl_adb_tracker_tell(const struct sl_adb_tracker *tracker)
{
    if (tracker->told)
        tracker->changed(tracker->user, tracker->listed, tracker->count,
                         tracker->why[0] ? tracker->why : NULL);
}

static void on_text(void *user, const char *text, size_t len)
{
    struct sl_adb_tracker *tracker = user;
    tracker->wait_ms = RETRY_FIRST_MS;
    if (tracker->closing)
        return;
    tracker->count = sl_adb_parse_devices(text, len, tracker->listed, SL_ADB_MAX_LISTED);
    tracker->why[0] = '\0';
    tracker->told = true;
    sl_adb_tracker_tell(tracker);
}

static void on_bytes(void *user, const uint8_t *bytes, size_t len)
{
    struct sl_adb_tracker *tracker = user;
    if (sl_adb_texts_take(&tracker->texts, bytes, len, on_text, tracker) < 0)
        sl_adb_stream_close(tracker->stream);
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct sl_adb_tracker *tracker = handle->data;
    void (*closed)(void *) = tracker->closed;
    void *user = tracker->closed_user;
    sl_buf_fini(&tracker->text);
    sl_free(tracker);
    closed(user);
}

static void finish_close(struct sl_adb_tracker *tracker)
{
    if (!tracker->stream)
        uv_close((uv_handle_t *)&tracker->timer, on_timer_closed);
}

static void try_later(struct sl_adb_tracker *tracker, const char *reason)
{
    tracker->count = 0;
    tracker->told = true;
    snprintf(tracker->why, sizeof(tracker->why), "%s", reason);
    uv_timer_start(&tracker->timer, on_timer, tracker->wait_ms, 0);
    tracker->wait_ms = tracker->wait_ms * 2 < RETRY_LAST_MS ? tracker->wait_ms * 2 : RETRY_LAST_MS;
    sl_adb_tracker_tell(tracker);
}

static void on_closed(void *user, int code, const char *reason)
{
    struct sl_adb_tracker *tracker = user;
    tracker->stream = NULL;
    if (tracker->closing)
        finish_close(tracker);
    else
        try_later(tracker, code == -ECONNREFUSED || code == -ENOENT ? "no adb server is running"
                           : code == 0                              ? "the adb server ended"
                                                                    : reason);
}

static void on_timer(uv_timer_t *timer)
{
    static const struct sl_adb_stream_events events = {NULL, on_bytes, NULL, on_closed};
    static const struct sl_adb_stream_options options = {.service = "host:track-devices-l"};
    struct sl_adb_tracker *tracker = timer->data;
    tracker->texts = (struct sl_adb_texts){.text = &tracker->text};
    tracker->text.size = 0;
    int rc = sl_adb_stream_open(tracker->loop, &options, &events, tracker, &tracker->stream);
    if (rc < 0) {
        tracker->stream = NULL;
        try_later(tracker, rc == -ECONNREFUSED || rc == -ENOENT
                               ? "no adb server is running"
                               : "the adb server's address cannot be used");
    }
}

int sl_adb_tracker_new(uv_loop_t *loop, sl_adb_tracker_fn changed, void *user,
                       struct sl_adb_tracker **out)
{
    struct sl_adb_tracker *tracker = sl_calloc(1, sizeof(*tracker));
    if (!tracker)
        return -ENOMEM;
    tracker->loop = loop;
    tracker->changed = changed;
    tracker->user = user;
    tracker->wait_ms = RETRY_FIRST_MS;
    sl_buf_init(&tracker->text, SL_ADB_MAX_TEXT);
    uv_timer_init(loop, &tracker->timer); /* cannot fail */
    tracker->timer.data = tracker;
    uv_timer_start(&tracker->timer, on_timer, 0, 0);
    *out = tracker;
    return 0;
}

void sl_adb_tracker_close(struct sl_adb_tracker *tracker, void (*closed)(void *user), void *user)
{
    tracker->closing = true;
    tracker->closed = closed;
    tracker->closed_user = user;
    uv_timer_stop(&tracker->timer);
    if (tracker->stream)
        sl_adb_stream_close(tracker->stream);
    finish_close(tracker);
}

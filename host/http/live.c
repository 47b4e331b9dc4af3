/* host/http/live.c */
#include "host/http/live.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/http/connection.h"
#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/record_json.h"
#include "host/http/reply.h"
#include "host/job/lab.h"

struct sl_live {
    struct sl_live *next; /* of the server's list */
    struct sl_http_exchange *exchange;
    struct sl_http_listener *door;    /* whose limit counts it */
    struct sl_lab_listener *listener; /* NULL: the job has ended, nothing more comes */
    uint64_t job;                     /* 0: the whole lab */
    struct sl_buf queue;              /* not on the wire yet */
    bool ended;                       /* the job has; what is queued is all */
};

static void cut(struct sl_live *live)
{
    live->exchange->http->counts.streams_cut++;
    sl_http_connection_cut(live->exchange->turn.connection);
}

static bool has_ended(const struct sl_live *live)
{
    return live->job != 0 && !sl_lab_job(live->exchange->http->lab, live->job);
}

/* An event's object begins with its job where the stream is about many. */
static int queue_event(struct sl_live *live, const struct sl_lab_event *event)
{
    static const char own[] = "{\"job\":";
    const char *json = event->json;
    int rc =
        sl_buf_printf(&live->queue, "id: %" PRIu64 "\nevent: %s\ndata: ", event->id, event->type);
    if (rc == 0 && live->job == 0 && event->job != 0 && strncmp(json, own, strlen(own)) != 0) {
        rc = sl_buf_printf(&live->queue, "%s%" PRIu64 "%s", own, event->job,
                           json[1] == '}' ? "" : ",");
        json++;
    }
    return rc < 0 ? rc : sl_buf_printf(&live->queue, "%s\n\n", json);
}

static void on_event(void *user, const struct sl_lab_event *event)
{
    struct sl_live *live = user;
    live->ended = has_ended(live);
    if (queue_event(live, event) < 0)
        cut(live);
    else
        sl_http_connection_write(live->exchange->turn.connection);
}

static int queue_snapshot(struct sl_live *live, const struct sl_job_record *job)
{
    struct sl_buf text;
    struct sl_json json;
    sl_buf_init(&text, 8192);
    sl_json_init(&json, &text);
    sl_json_of_job(&json, NULL, job);
    int rc = json.error;
    if (rc == 0)
        rc = sl_buf_printf(&live->queue, "retry: 1000\nevent: job\ndata: %s\n\n",
                           (const char *)text.data);
    sl_buf_fini(&text);
    return rc;
}

/* A comment to each stream, so that both sides see a dead link. */
static void on_beat(uv_timer_t *timer)
{
    struct sl_http *http = timer->data;
    for (struct sl_live *live = http->live; live; live = live->next) {
        live->ended = has_ended(live);
        if (sl_buf_append(&live->queue, ":\n\n", 3) == 0)
            sl_http_connection_write(live->exchange->turn.connection);
    }
}

static size_t take(void *user, uint8_t *at, size_t room, bool *out_last)
{
    struct sl_live *live = user;
    size_t taken = live->queue.size < room ? live->queue.size : room;
    if (taken > 0) {
        memcpy(at, live->queue.data, taken);
        live->queue.size -= taken;
        memmove(live->queue.data, live->queue.data + taken, live->queue.size);
    }
    *out_last = live->queue.size == 0 && (!live->listener || live->ended);
    return taken;
}

static void free_live(void *user)
{
    struct sl_live *live = user;
    struct sl_http *http = live->exchange->http;
    struct sl_live **at = &http->live;
    while (*at != live)
        at = &(*at)->next;
    *at = live->next;
    live->door->streams--;
    if (--http->streams == 0)
        uv_timer_stop(&http->beat);
    if (live->listener)
        sl_lab_unlisten(live->listener);
    sl_buf_fini(&live->queue);
    sl_free(live);
}

static const struct sl_http_stream_source source = {take, free_live};

/* 0, SL_E_FULL or -ENOMEM: not answered. */
static int start(struct sl_http_exchange *exchange, const struct sl_job_record *job, uint64_t after)
{
    struct sl_http *http = exchange->http;
    struct sl_http_listener *door = sl_http_connection_listener(exchange->turn.connection);
    if (door->streams >= SL_HTTP_MAX_STREAMS)
        return SL_E_FULL;
    struct sl_live *live = sl_calloc(1, sizeof(*live));
    if (!live)
        return -ENOMEM;
    live->exchange = exchange;
    live->door = door;
    door->streams++;
    live->job = job ? job->id : 0;
    live->next = http->live;
    http->live = live;
    if (http->streams++ == 0)
        uv_timer_start(&http->beat, on_beat, SL_LIVE_BEAT_MS, SL_LIVE_BEAT_MS);
    sl_buf_init(&live->queue, SL_LIVE_QUEUE_BYTES);
    int rc = job ? queue_snapshot(live, job) : sl_buf_printf(&live->queue, "retry: 1000\n\n");
    if (rc == 0 && !has_ended(live))
        rc = sl_lab_listen(http->lab, live->job, after, on_event, live, &live->listener);
    if (rc < 0) {
        free_live(live);
        return rc;
    }
    exchange->source = &source;
    exchange->source_user = live;
    exchange->turn.streams = true;
    exchange->turn.close_after = true;
    struct sl_buf none;
    sl_buf_init(&none, 0);
    sl_http_reply_buf(exchange, 200, "text/event-stream", &none);
    return 0;
}

void sl_live_answer(struct sl_http_exchange *exchange, const struct sl_job_record *job)
{
    char last[32];
    uint64_t after = 0;
    if (sl_http_header(exchange, "last-event-id", last, sizeof(last)) < 0 ||
        (sl_http_head_has(&exchange->head, "last-event-id") && !sl_http_number(last, &after))) {
        sl_http_problem(exchange, 400, "bad-header", "send the last id: of the stream before",
                        "Last-Event-ID is not a number");
        return;
    }
    int rc = start(exchange, job, after);
    if (rc == SL_E_FULL)
        sl_http_problem(exchange, 429, "too-many-streams", "close one, or ask GET /jobs/{id}",
                        "%d streams of events are open already", (int)SL_HTTP_MAX_STREAMS);
    else if (rc < 0)
        sl_http_problem_of(exchange, rc, NULL);
}

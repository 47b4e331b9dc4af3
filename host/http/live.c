/* host/http/live.c */
#include "host/http/live.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/http/exchange.h"
#include "host/http/internal.h"
#include "host/http/record_json.h"
#include "host/http/reply.h"
#include "host/job/lab.h"

struct sl_live {
    struct sl_live *next; /* of the server's list */
    struct sl_http_exchange *exchange;
    struct sl_lab_listener *listener; /* NULL: the job has ended, nothing more comes */
    uint64_t job;
    struct sl_buf queue; /* not on the wire yet */
    bool waiting;        /* for the connection to take bytes */
    bool ended;          /* the job has; what is queued is all */
};

static void cut(struct sl_live *live)
{
    live->exchange->http->counts.streams_cut++;
    sl_http_exchange_deadline(live->exchange, -1);
}

static void want_write(struct sl_live *live)
{
    if (live->waiting)
        return;
    live->waiting = true;
    sl_http_exchange_pause(live->exchange, false); /* the library writes only where it may read */
    sl_http_exchange_deadline(live->exchange, (int)live->exchange->http->timeout_s);
    lws_callback_on_writable(live->exchange->wsi);
}

static void on_event(void *user, const struct sl_lab_event *event)
{
    struct sl_live *live = user;
    live->ended = !sl_lab_job(live->exchange->http->lab, live->job);
    if (sl_buf_printf(&live->queue, "id: %" PRIu64 "\nevent: %s\ndata: %s\n\n", event->id,
                      event->type, event->json) < 0)
        cut(live);
    else
        want_write(live);
}

static int queue_snapshot(struct sl_live *live, const struct sl_job_record *job)
{
    struct sl_buf text;
    struct sl_json json;
    sl_buf_init(&text, 8192);
    sl_json_init(&json, &text);
    sl_json_of_job(&json, NULL, job, NULL);
    int rc = json.error;
    if (rc == 0)
        rc = sl_buf_printf(&live->queue, "retry: 1000\nevent: job\ndata: %s\n\n",
                           (const char *)text.data);
    sl_buf_fini(&text);
    return rc;
}

static void on_beat(uv_timer_t *timer)
{
    sl_live_beat(timer->data);
}

int sl_live_start(struct sl_http_exchange *exchange, const struct sl_job_record *job,
                  uint64_t after)
{
    struct sl_http *http = exchange->http;
    if (http->streams >= SL_HTTP_MAX_STREAMS)
        return SL_E_FULL;
    struct sl_live *live = sl_calloc(1, sizeof(*live));
    if (!live)
        return -ENOMEM;
    live->exchange = exchange;
    live->job = job->id;
    live->next = http->live;
    http->live = live;
    if (http->streams++ == 0)
        uv_timer_start(&http->beat, on_beat, SL_LIVE_BEAT_MS, SL_LIVE_BEAT_MS);
    sl_buf_init(&live->queue, SL_LIVE_QUEUE_BYTES);
    int rc = queue_snapshot(live, job);
    if (rc == 0 && sl_lab_job(http->lab, job->id))
        rc = sl_lab_listen(http->lab, job->id, after, on_event, live, &live->listener);
    if (rc < 0) {
        sl_live_free(live);
        return rc;
    }
    exchange->live = live;
    exchange->close_after = true;
    struct sl_buf none;
    sl_buf_init(&none, 0);
    live->waiting = true;
    sl_http_reply_buf(exchange, 200, "text/event-stream", &none);
    return 0;
}

/* All is on the wire: waits for events, or ends with the job. */
static int drained(struct sl_live *live)
{
    if (!live->listener || live->ended)
        return -1; /* the end of the connection is the end of the stream */
    sl_http_exchange_deadline(live->exchange, 0);
    sl_http_exchange_pause(live->exchange, true);
    return 0;
}

int sl_live_write(struct sl_live *live, unsigned char *at, size_t used)
{
    struct sl_http *http = live->exchange->http;
    size_t room = SL_HTTP_CHUNK_BYTES - used;
    size_t taken = live->queue.size < room ? live->queue.size : room;
    live->waiting = false;
    if (live->exchange->method == SL_HTTP_HEAD)
        taken = 0;
    if (taken > 0) {
        memcpy(at + used, live->queue.data, taken);
        live->queue.size -= taken;
        memmove(live->queue.data, live->queue.data + taken, live->queue.size);
    }
    if (used + taken > 0 &&
        lws_write(live->exchange->wsi, at, used + taken, LWS_WRITE_HTTP_HEADERS) < 0)
        return -1;
    http->counts.sent_bytes += used + taken;
    if (live->exchange->method == SL_HTTP_HEAD)
        return -1;
    if (live->queue.size == 0 && !lws_partial_buffered(live->exchange->wsi))
        return drained(live);
    want_write(live);
    return 0;
}

void sl_live_free(struct sl_live *live)
{
    if (!live)
        return;
    struct sl_http *http = live->exchange->http;
    struct sl_live **at = &http->live;
    while (*at != live)
        at = &(*at)->next;
    *at = live->next;
    if (--http->streams == 0)
        uv_timer_stop(&http->beat);
    if (live->listener)
        sl_lab_unlisten(live->listener);
    sl_buf_fini(&live->queue);
    sl_free(live);
}

/* While nothing is read, an end of the connection shows only here. */
static bool has_left(const struct sl_live *live)
{
    char byte;
    return recv(lws_get_socket_fd(live->exchange->wsi), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

void sl_live_beat(struct sl_http *http)
{
    for (struct sl_live *live = http->live; live; live = live->next) {
        if (live->waiting)
            continue;
        live->ended = !sl_lab_job(http->lab, live->job);
        if (has_left(live))
            sl_http_exchange_deadline(live->exchange, -1);
        else if (sl_buf_append(&live->queue, ":\n\n", 3) == 0)
            want_write(live);
    }
}

/* host/cli/stream.c */
#include "host/cli/stream.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <curl/curl.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/cli/client.h"
#include "host/cli/interrupt.h"
#include "host/cli/problem.h"
#include "host/cli/sse.h"

enum { MAX_PROBLEM_BYTES = 64 << 10, FIRST_WAIT_MS = 500, MAX_WAIT_MS = 5000, SILENCE_S = 45 };

struct stream {
    struct sl_client *client;
    const char *path;
    const struct sl_stream_options *options;
    struct sl_sse sse;
    struct sl_buf problem; /* of an answer that is no stream */
    void *curl;
    bool enough, heard;
};

static void on_event(void *user, const struct sl_sse_event *event)
{
    struct stream *stream = user;
    stream->heard = true;
    if (!stream->enough && !stream->options->on_event(stream->options->user, event))
        stream->enough = true;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *user)
{
    struct stream *stream = user;
    size_t len = size * count;
    long status = 0;
    curl_easy_getinfo((CURL *)stream->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200)
        return sl_buf_append(&stream->problem, bytes, len) == 0 ? len : 0;
    int rc = sl_sse_feed(&stream->sse, bytes, len);
    return rc == 0 && !stream->enough ? len : 0;
}

static int on_turn(void *user, curl_off_t down_total, curl_off_t down, curl_off_t up_total,
                   curl_off_t up)
{
    (void)user, (void)down_total, (void)down, (void)up_total, (void)up;
    return sl_interrupt_number() != 0;
}

static int prepare(struct stream *stream, struct sl_client_call *call)
{
    char line[SL_SSE_NAME_BYTES + 32];
    int rc = sl_client_call_init(call, stream->client, stream->path);
    if (rc == 0)
        rc = sl_client_call_header(call, "Accept: text/event-stream");
    if (rc == 0 && stream->sse.id[0]) {
        snprintf(line, sizeof(line), "Last-Event-ID: %s", stream->sse.id);
        rc = sl_client_call_header(call, line);
    }
    if (rc < 0)
        return rc;
    CURL *curl = call->curl;
    stream->curl = curl;
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, stream);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_turn);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L); /* the daemon sends a beat every 15 s */
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)SILENCE_S);
    return 0;
}

/* One connection, to its end: 0 when that was an end that coming back may help, -EINTR, or the code
 * of what will not go away. `diag` says why it ended in any case. */
static int connect_once(struct stream *stream, struct sl_diag *diag)
{
    struct sl_client_call call;
    long status = 0;
    int rc = prepare(stream, &call);
    if (rc < 0) {
        sl_client_call_fini(&call);
        return sl_diag_set(diag, rc, NULL, "There is no memory for a request");
    }
    CURLcode result = curl_easy_perform(call.curl);
    curl_easy_getinfo(call.curl, CURLINFO_RESPONSE_CODE, &status);
    sl_client_call_fini(&call);
    if (stream->enough)
        return 0;
    if (status != 0 && status != 200) {
        struct sl_bytes body = {stream->problem.data, stream->problem.size};
        rc = sl_problem_read(status, body, sl_client_server(stream->client), stream->path, diag);
        return rc == -EAGAIN || status >= 500 ? 0 : rc;
    }
    if (result == CURLE_OK) {
        sl_diag_set(diag, 0, sl_client_server(stream->client), "The daemon ended the stream");
        return 0;
    }
    rc = sl_client_call_failed(stream->client, stream->path, (int)result, diag);
    return rc == -ECONNREFUSED || rc == -ETIMEDOUT || rc == -EPROTO ? 0 : rc;
}

static void pause_ms(long ms)
{
    struct timespec span = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&span, NULL); /* a signal ends it early */
}

/* A server may ask for any pause; none at all would be a loop that burns a core. */
static long first_wait_ms(const struct sl_sse *sse)
{
    long wait_ms = sse->retry_ms > FIRST_WAIT_MS ? sse->retry_ms : FIRST_WAIT_MS;
    return wait_ms < MAX_WAIT_MS ? wait_ms : MAX_WAIT_MS;
}

static int follow(struct stream *stream, struct sl_diag *diag)
{
    uint64_t lost_since = sl_clock_ns() / 1000000;
    long wait_ms = FIRST_WAIT_MS;
    bool told = false;
    for (;;) {
        stream->heard = false;
        sl_sse_restart(&stream->sse);
        sl_buf_init(&stream->problem, MAX_PROBLEM_BYTES);
        int rc = connect_once(stream, diag);
        sl_buf_fini(&stream->problem);
        if (rc < 0 || stream->enough)
            return rc;
        if (sl_interrupt_number() != 0)
            return sl_diag_set(diag, -EINTR, NULL, "Interrupted");
        if (stream->heard) {
            lost_since = sl_clock_ns() / 1000000;
            wait_ms = first_wait_ms(&stream->sse);
            told = false;
        }
        if (sl_clock_ns() / 1000000 - lost_since > SL_STREAM_GIVE_UP_MS)
            return -ECONNREFUSED; /* in the words of the last failure */
        if (!told && stream->options->on_lost)
            stream->options->on_lost(stream->options->user, diag->what);
        told = true;
        sl_client_revive(stream->client, NULL); /* a private daemon, and with it the job */
        pause_ms(wait_ms); /* also where it listens: it may be what ends each connection */
        wait_ms = wait_ms * 2 > MAX_WAIT_MS ? MAX_WAIT_MS : wait_ms * 2;
    }
}

int sl_stream_follow(struct sl_client *client, const char *path,
                     const struct sl_stream_options *options, struct sl_diag *diag)
{
    struct stream *stream = sl_calloc(1, sizeof(*stream));
    if (!stream)
        return sl_diag_set(diag, -ENOMEM, NULL, "There is no memory for a stream of events");
    *stream = (struct stream){.client = client, .path = path, .options = options};
    sl_sse_init(&stream->sse, on_event, stream);
    int rc = follow(stream, diag);
    sl_free(stream);
    return rc;
}

/* host/http/server.c */
#include "host/http/server.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "host/http/api.h"
#include "host/http/audit.h"
#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/listener.h"
#include "host/http/reply.h"
#include "host/http/request.h"
#include "host/job/lab.h"

enum { DEFAULT_TIMEOUT_S = 20 };

static struct sl_http_turn *begin_turn(void *user, struct sl_http_connection *connection)
{
    struct sl_http_exchange *exchange = sl_http_exchange_new(user, connection);
    return exchange ? &exchange->turn : NULL;
}

static struct sl_http_exchange *exchange_of(struct sl_http_turn *turn)
{
    return (struct sl_http_exchange *)turn; /* its first member */
}

static void take_head(struct sl_http_turn *turn, const char *head, size_t len)
{
    sl_http_request_begin(exchange_of(turn), head, len);
}

static void refuse(struct sl_http_turn *turn, int status, const char *why)
{
    sl_http_request_refuse(exchange_of(turn), status, why);
}

static int take_body(struct sl_http_turn *turn, struct sl_bytes bytes)
{
    return sl_http_request_take(exchange_of(turn), bytes);
}

static int next_bytes(struct sl_http_turn *turn, uint8_t *at, size_t room, bool *out_last)
{
    return sl_http_reply_next(exchange_of(turn), at, room, out_last);
}

static size_t pass_bytes(struct sl_http_turn *turn, int socket)
{
    return sl_http_reply_pass(exchange_of(turn), socket);
}

static void end_turn(struct sl_http_turn *turn)
{
    sl_http_audit(exchange_of(turn));
    sl_http_exchange_end(exchange_of(turn));
}

static void on_emptied(void *user)
{
    sl_http_settle(user);
}

static const struct sl_http_answers answers = {.begin = begin_turn,
                                               .head = take_head,
                                               .refuse = refuse,
                                               .take = take_body,
                                               .next = next_bytes,
                                               .pass = pass_bytes,
                                               .end = end_turn,
                                               .emptied = on_emptied};

void sl_http_drain(struct sl_http *http)
{
    http->draining = true;
}

void sl_http_close(struct sl_http *http, void (*closed)(void *user), void *user)
{
    if (http->stopping)
        return;
    http->stopping = true;
    atomic_store(&http->stop_reading, true);
    http->closed = closed;
    http->closed_user = user;
    sl_http_unlisten(http);
    sl_http_connections_close(&http->clients);
    sl_http_settle(http);
}

/* A turn without its waiting is as long as everybody else waited. */
static void on_turn(uv_prepare_t *prepare)
{
    struct sl_http *http = prepare->data;
    uint64_t now = sl_clock_ns(), idle = uv_metrics_idle_time(http->loop);
    uint64_t took = now - http->turned_ns, waited = idle - http->idle_ns;
    if (http->turned_ns != 0)
        sl_histogram_add(&http->turns, took > waited ? took - waited : 0);
    http->turned_ns = now;
    http->idle_ns = idle;
}

static void watch_loop(struct sl_http *http)
{
    if (uv_loop_configure(http->loop, UV_METRICS_IDLE_TIME) == 0)
        uv_prepare_start(&http->turn, on_turn);
}

/* With a certificate whose time it is not, the other listeners serve all the same. */
static int take_identity(struct sl_http *http, const struct sl_http_options *options,
                         struct sl_diag *diag)
{
    struct sl_diag late = {0};
    int rc = sl_tls_identity_new(options->certificate, options->key, &http->identity, diag);
    if (rc == 0 && sl_tls_identity_check_time(http->identity, &late) < 0)
        sl_log(SL_LOG_ERROR, SL_LOG_EVENT("certificate_not_valid"),
               SL_LOG_QUOTED("where", late.where), SL_LOG_REASON(late.what));
    return rc;
}

int sl_http_new(uv_loop_t *loop, struct sl_lab *lab, const struct sl_http_options *options,
                struct sl_http **out, struct sl_diag *diag)
{
    struct sl_http *http = sl_calloc(1, sizeof(*http));
    if (!http)
        return -ENOMEM;
    http->loop = loop;
    http->lab = lab;
    http->keeper = options->keeper;
    http->allow_runners = options->allow_runners;
    http->last_request = sl_clock_utc_ms() * 1000;
    http->rate.per_second = options->rate;
    http->places.most = options->at_once ? options->at_once : SL_HTTP_CLIENT_AT_ONCE;
    for (size_t i = 0; i < options->origin_count; i++)
        snprintf(http->origins.texts[http->origins.count++], SL_WEB_ORIGIN_BYTES, "%s",
                 options->origins[i]);
    http->max_blob_bytes =
        options->max_blob_bytes ? options->max_blob_bytes : SL_HTTP_MAX_BLOB_BYTES;
    http->compare = options->compare;
    http->devices = options->devices;
    http->clients = (struct sl_http_clients){
        .loop = loop,
        .answers = &answers,
        .user = http,
        .timeout_s = options->timeout_s ? options->timeout_s : DEFAULT_TIMEOUT_S,
    };
    uv_timer_init(loop, &http->beat);
    uv_timer_init(loop, &http->retry);
    uv_prepare_init(loop, &http->turn);
    http->beat.data = http->retry.data = http->turn.data = http;
    http->open_handles = 3;
    watch_loop(http);
    int rc = sl_blobs_init(&http->blobs, sl_lab_state_dir(lab), diag);
    if (rc == 0) {
        sl_api_blobs_sweep(http);
        sl_api_imports_sweep(http);
    }
    if (rc == 0 && options->certificate)
        rc = take_identity(http, options, diag);
    for (size_t i = 0; rc == 0 && i < options->listen_count; i++)
        rc = sl_http_listen(http, options->listen[i], options->allow_remote, diag);
    if (rc < 0) {
        sl_http_close(http, NULL, NULL); /* the loop finishes it */
        return rc;
    }
    sl_api_tokens_load(http);
    *out = http;
    return 0;
}

void sl_http_ask_peers(struct sl_http *http, struct sl_peer_calls *peers)
{
    http->peers = peers;
}

uint64_t sl_http_connections(const struct sl_http *http, size_t *out_open)
{
    *out_open = http->clients.count;
    return http->clients.accepted;
}

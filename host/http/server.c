/* host/http/server.c: the library's events to exchanges, and its beginning and end on our loop. */
#include "host/http/server.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/http/api.h"
#include "host/http/exchange.h"
#include "host/http/internal.h"
#include "host/http/listener.h"
#include "host/http/reply.h"
#include "host/http/request.h"
#include "host/job/lab.h"

enum {
    DEFAULT_TIMEOUT_S = 20,
    MAX_SOCKETS = SL_HTTP_MAX_CONNECTIONS + 64, /* listeners, those to refuse, the library's own */
    CLOSE_LOOK_MS = 1,
};

/* Kept by the library with each connection. */
struct session {
    struct sl_http_exchange *exchange; /* NULL between requests */
};

/* The library clears a session after each request, but never this: of a connection that has asked
 * for something, or been told why not. */
static char known_peer;

static int on_headers(struct sl_http *http, struct lws *wsi, struct session *session)
{
    assert(!session->exchange);
    lws_set_opaque_user_data(wsi, &known_peer);
    session->exchange = sl_http_exchange_new(http, wsi);
    if (!session->exchange)
        return -1;
    return sl_http_request_begin(session->exchange);
}

static void on_closed(struct sl_http *http, const struct lws *wsi, struct session *session)
{
    const struct sl_http_exchange *exchange = session ? session->exchange : NULL;
    http->connections--;
    if (!http->stopping && !lws_get_opaque_user_data(wsi))
        sl_http_refusal_tell(&http->refusals, uv_now(http->loop), 0, "",
                             "it sent no request that can be read");
    else if (!http->stopping && exchange && !exchange->answered && !exchange->body_ended)
        sl_http_refusal_tell(&http->refusals, uv_now(http->loop), 0, exchange->path,
                             "its request did not come to an end");
    if (exchange) {
        sl_http_exchange_end(session->exchange);
        session->exchange = NULL;
    }
}

/* What is no HTTP, or a method that the library does not know. */
static int refuse_unreadable(struct sl_http *http, struct lws *wsi)
{
    static const char answer[] =
        "HTTP/1.1 400 Bad Request\r\ncontent-type: application/problem+json\r\n"
        "content-length: 140\r\nconnection: close\r\n\r\n"
        "{\"type\":\"urn:sme2lab:problem:bad-request\",\"title\":\"Bad Request\",\"status\":400,"
        "\"detail\":\"this is no request of HTTP/1.1 with a known method\"}\n";
    unsigned char *start = http->scratch + LWS_PRE;
    if (!lws_get_opaque_user_data(wsi))
        sl_http_refusal_tell(&http->refusals, uv_now(http->loop), 400, "",
                             "it sent no request that can be read");
    lws_set_opaque_user_data(wsi, &known_peer);
    memcpy(start, answer, sizeof(answer) - 1);
    lws_write(wsi, start, sizeof(answer) - 1, LWS_WRITE_RAW);
    return -1;
}

static int on_writable(struct session *session)
{
    struct sl_http_exchange *exchange = session->exchange;
    if (!exchange || !exchange->answered)
        return 0;
    return sl_http_reply_continue(exchange) < 0 ? -1 : 0;
}

static int on_library(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                      size_t len)
{
    struct sl_http *http = lws_context_user(lws_get_context(wsi));
    struct session *session = user;
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return on_headers(http, wsi, session);
    case LWS_CALLBACK_HTTP_BODY:
        return session->exchange ? sl_http_request_piece(session->exchange, in, len) : 0;
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        if (session->exchange)
            sl_http_request_end(session->exchange);
        return 0;
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return on_writable(session);
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
        http->connections++;
        http->accepted++;
        return 0;
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_RAW_CLOSE:
        on_closed(http, wsi, session);
        return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:       /* neither WebSocket nor HTTP/2 */
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: /* nor what a CONNECT leads to */
        return -1;
    case LWS_CALLBACK_RAW_RX: /* its parser gave up */
        return refuse_unreadable(http, wsi);
    default:
        return 0;
    }
}

struct handle_search {
    struct sl_http *http;
    size_t seen, found;
};

static void count_handle(uv_handle_t *handle, void *user)
{
    (void)handle;
    ((struct handle_search *)user)->seen++;
}

/* The library's own timer and idle handle: those that its start has added to the loop's list, which
 * grows at its end. It tells nobody when they are closed. */
static void keep_handle(uv_handle_t *handle, void *user)
{
    struct handle_search *search = user;
    struct sl_http *http = search->http;
    if (search->seen++ < http->handles_before)
        return;
    if (handle->type == UV_POLL)
        uv_fileno(handle, &http->wake_fd); /* it listens nowhere yet */
    else if (http->library_handle_count < 4)
        http->library_handles[http->library_handle_count++] = handle;
}

static void look_for_handle(uv_handle_t *handle, void *user)
{
    struct handle_search *search = user;
    for (size_t i = 0; i < search->http->library_handle_count; i++)
        search->found += handle == search->http->library_handles[i];
}

static int start_library(struct sl_http *http, struct sl_diag *diag)
{
    void *loops[1] = {http->loop};
    struct handle_search before = {.http = http}, after = {.http = http};
    struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN,
        .options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS,
        .foreign_loops = loops,
        .user = http,
        .pt_serv_buf_size = SL_HTTP_CHUNK_BYTES,
        .max_http_header_data2 = SL_HTTP_MAX_HEADER_BYTES,
        .max_http_header_pool = MAX_SOCKETS,
        .fd_limit_per_thread = MAX_SOCKETS,
        .timeout_secs = http->timeout_s,
    };
    lws_set_log_level(0, NULL);
    uv_walk(http->loop, count_handle, &before);
    http->handles_before = before.seen;
    http->context = lws_create_context(&info);
    if (!http->context) {
        sl_diag_hint(diag, "install libwebsockets-evlib-uv");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "libwebsockets",
                           "the HTTP library cannot start on libuv");
    }
    uv_walk(http->loop, keep_handle, &after);
    return 0;
}

static void forget(struct sl_http *http)
{
    void (*closed)(void *) = http->closed;
    void *user = http->closed_user;
    sl_auth_fini(&http->auth);
    sl_free(http);
    if (closed)
        closed(user);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct sl_http *http = handle->data;
    if (--http->open_handles == 0)
        forget(http);
}

/* The library closes the descriptor that wakes it twice, at once and a turn of the loop later, when
 * the number may be another's. Something of ours takes the number meanwhile. */
static void destroy_library(struct sl_http *http)
{
    lws_context_destroy(http->context); /* closes all connections; their handles follow */
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0 || null == http->wake_fd)
        return;
    int held = fcntl(null, F_DUPFD_CLOEXEC, http->wake_fd);
    if (held >= 0 && held != http->wake_fd)
        close(held);
    close(null);
}

/* Ends in steps, each when the one before it is done: the connections, what is owed to exchanges,
 * the library's handles, ours. */
static void on_closing(uv_timer_t *timer)
{
    struct sl_http *http = timer->data;
    struct handle_search search = {.http = http};
    if (http->context && !http->destroyed) {
        http->destroyed = true;
        destroy_library(http);
        return;
    }
    uv_walk(http->loop, look_for_handle, &search);
    if (search.found > 0 || http->exchanges > 0)
        return;
    if (http->context)
        lws_context_destroy(http->context); /* the second call frees it */
    http->context = NULL;
    uv_close((uv_handle_t *)&http->closing, on_handle_closed);
    uv_close((uv_handle_t *)&http->beat, on_handle_closed);
}

void sl_http_close(struct sl_http *http, void (*closed)(void *user), void *user)
{
    if (http->stopping)
        return;
    http->stopping = true;
    http->closed = closed;
    http->closed_user = user;
    sl_http_unlink(http);
    uv_timer_start(&http->closing, on_closing, 0, CLOSE_LOOK_MS);
}

int sl_http_new(uv_loop_t *loop, struct sl_lab *lab, const struct sl_http_options *options,
                struct sl_http **out, struct sl_diag *diag)
{
    struct sl_http *http = sl_calloc(1, sizeof(*http));
    if (!http)
        return -ENOMEM;
    http->loop = loop;
    http->lab = lab;
    http->max_blob_bytes =
        options->max_blob_bytes ? options->max_blob_bytes : SL_HTTP_MAX_BLOB_BYTES;
    http->compare = options->compare;
    http->compare_user = options->compare_user;
    http->timeout_s = options->timeout_s ? options->timeout_s : DEFAULT_TIMEOUT_S;
    http->protocols[0] = (struct lws_protocols){.name = "http",
                                                .callback = on_library,
                                                .per_session_data_size = sizeof(struct session),
                                                .rx_buffer_size = SL_HTTP_CHUNK_BYTES};
    uv_timer_init(loop, &http->beat);
    uv_timer_init(loop, &http->closing);
    http->beat.data = http->closing.data = http;
    http->open_handles = 2;
    int rc = sl_blobs_init(&http->blobs, sl_lab_state_dir(lab), diag);
    if (rc == 0)
        sl_api_blobs_sweep(http);
    if (rc == 0)
        rc = start_library(http, diag);
    for (size_t i = 0; rc == 0 && i < options->listen_count; i++)
        rc = sl_http_listen(http, options->listen[i], diag);
    if (rc < 0) {
        sl_http_close(http, NULL, NULL); /* the loop finishes it */
        return rc;
    }
    sl_api_tokens_load(http);
    *out = http;
    return 0;
}

uint64_t sl_http_connections(const struct sl_http *http, size_t *out_open)
{
    *out_open = http->connections;
    return http->accepted;
}

int sl_http_port(const struct sl_http *http, size_t listener)
{
    return http->paths[listener][0] ? 0 : lws_get_vhost_listen_port(http->hosts[listener]);
}

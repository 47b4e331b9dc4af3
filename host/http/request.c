/* host/http/request.c */
#include "host/http/request.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>

#include "common/base/error.h"
#include "host/http/api.h"
#include "host/http/exchange.h"
#include "host/http/internal.h"
#include "host/http/reply.h"
#include "host/http/router.h"

enum { MAX_AUTHORIZATION_BYTES = 256, MAX_SKIPPED_BYTES = 16 << 20, MAX_JSON_S = 60 };

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Who got through a Unix socket's permissions may do everything. */
static bool trusted(const struct sl_http_exchange *exchange)
{
    struct sockaddr_storage own;
    socklen_t len = sizeof(own);
    int fd = lws_get_socket_fd(exchange->wsi);
    return getsockname(fd, (struct sockaddr *)&own, &len) == 0 && own.ss_family == AF_UNIX;
}

/* true: it may. false: answered with 401, 403 or 503. */
static bool authorised(struct sl_http_exchange *exchange)
{
    char value[MAX_AUTHORIZATION_BYTES];
    const struct sl_auth *auth = &exchange->http->auth;
    int wanted = exchange->route->role;
    if (wanted == 0 || trusted(exchange))
        return true;
    if (!auth->loaded) {
        sl_http_problem(exchange, 503, "not-ready", "", "the tokens are not read yet");
        return false;
    }
    int rc = sl_http_header(exchange, "authorization:", value, sizeof(value));
    int role = rc < 0 ? 0 : sl_auth_role(auth, value, now_ms());
    if (role >= wanted)
        return true;
    if (role == 0)
        sl_http_problem(exchange, 401, "unauthorised",
                        "send Authorization: Bearer TOKEN; sme2lab token add makes one",
                        "a token is needed here, and it must be known and not expired");
    else
        sl_http_problem(exchange, 403, "forbidden", "ask for a token of that role",
                        "this takes the role %s; the token has %s", sl_auth_role_name(wanted),
                        sl_auth_role_name(role));
    return false;
}

static void refuse_route(struct sl_http_exchange *exchange, int methods)
{
    static const struct {
        int method;
        const char *name;
    } names[] = {{SL_HTTP_GET, "GET"},
                 {SL_HTTP_HEAD, "HEAD"},
                 {SL_HTTP_POST, "POST"},
                 {SL_HTTP_PUT, "PUT"},
                 {SL_HTTP_DELETE, "DELETE"}};
    char allow[64] = "";
    if (methods == 0) {
        sl_http_problem(exchange, 404, "not-found", "GET /api/v1/openapi.yaml lists what there is",
                        "there is nothing at %.200s", exchange->path);
        return;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t len = strlen(allow);
        if (methods & names[i].method)
            snprintf(allow + len, sizeof(allow) - len, "%s%s", len ? ", " : "", names[i].name);
    }
    sl_http_reply_header(exchange, "allow", "%s", allow);
    sl_http_problem(exchange, 405, "wrong-method", "", "this path takes %s", allow);
}

/* Reads what the headers say of the body. false: answered, and the connection ends, because nobody
 * knows where the next request begins. */
static bool body_is_clear(struct sl_http_exchange *exchange)
{
    char length[32], expect[32], coding[32];
    int rc = sl_http_header(exchange, "content-length:", length, sizeof(length));
    bool clear = rc == 0 && (!length[0] || sl_http_number(length, &exchange->body_bytes)) &&
                 exchange->body_bytes <= INT64_MAX;
    exchange->has_body = length[0] != '\0' && exchange->body_bytes > 0;
    exchange->close_after = true;
    if (sl_http_header(exchange, "transfer-encoding:", coding, sizeof(coding)) != 0 || coding[0]) {
        sl_http_problem(exchange, 411, "length-required", "curl -T FILE does",
                        "a body is sent with Content-Length here, not in chunks");
        return false;
    }
    if (!clear) {
        sl_http_problem(exchange, 400, "bad-header", "", "Content-Length is not a number");
        return false;
    }
    if (!length[0] && (exchange->method == SL_HTTP_POST || exchange->method == SL_HTTP_PUT)) {
        sl_http_problem(exchange, 411, "length-required", "send Content-Length: 0 for no body",
                        "it is not clear how long the body is");
        return false;
    }
    exchange->close_after = false;
    rc = sl_http_header(exchange, "expect:", expect, sizeof(expect));
    exchange->expects_continue =
        exchange->has_body && rc == 0 && strcasecmp(expect, "100-continue") == 0;
    return true;
}

/* false: answered with 413 or 415. */
static bool json_is_wanted(struct sl_http_exchange *exchange)
{
    static const char json[] = "application/json";
    char type[SL_HTTP_VALUE_BYTES];
    if (exchange->body_bytes > SL_HTTP_MAX_JSON_BYTES) {
        sl_http_problem(exchange, 413, "too-large", "models and inputs are blobs: PUT them",
                        "the body may have %d bytes at most", (int)SL_HTTP_MAX_JSON_BYTES);
        return false;
    }
    int rc = sl_http_header(exchange, "content-type:", type, sizeof(type));
    size_t len = strcspn(type, "; ");
    if (!exchange->has_body ||
        (rc == 0 && len == sizeof(json) - 1 && strncasecmp(type, json, sizeof(json) - 1) == 0))
        return true;
    sl_http_problem(exchange, 415, "not-json", "send Content-Type: application/json",
                    "this takes JSON");
    return false;
}

static void call_handler(struct sl_http_exchange *exchange)
{
    exchange->route->handler(exchange);
    if (!exchange->answered && exchange->owed > 0)
        sl_http_exchange_pause(exchange, true);
}

/* false: answered with 414. */
static bool path_is_known(struct sl_http_exchange *exchange)
{
    if (!exchange->path_too_long)
        return true;
    sl_http_problem(exchange, 414, "too-long", "", "a path has %d bytes at most",
                    SL_HTTP_PATH_BYTES - 1);
    return false;
}

/* Finds the route and lets the request in; false: answered. */
static bool admit(struct sl_http_exchange *exchange)
{
    int methods = 0;
    if (!body_is_clear(exchange))
        return false;
    if (exchange->http->connections > SL_HTTP_MAX_CONNECTIONS) {
        exchange->close_after = true;
        sl_http_problem(exchange, 503, "busy", "", "there are %d connections already",
                        (int)SL_HTTP_MAX_CONNECTIONS);
        return false;
    }
    if (!path_is_known(exchange))
        return false;
    exchange->route =
        sl_http_find_route(exchange->method, exchange->path, exchange->param, &methods);
    if (!exchange->route) {
        refuse_route(exchange, methods);
        return false;
    }
    if (!authorised(exchange))
        return false;
    return exchange->route->body != SL_HTTP_BODY_JSON || json_is_wanted(exchange);
}

int sl_http_request_begin(struct sl_http_exchange *exchange)
{
    if (!admit(exchange)) {
        if (exchange->expects_continue || exchange->body_bytes > MAX_SKIPPED_BYTES)
            exchange->close_after = true; /* what it still sends is not read */
        return 0;
    }
    int body = exchange->route->body;
    if (body == SL_HTTP_BODY_STREAM)
        exchange->route->handler(exchange);
    if (!exchange->answered && exchange->has_body && body != SL_HTTP_BODY_NONE)
        return exchange->expects_continue ? sl_http_reply_go_on(exchange) : 0;
    if (!exchange->answered)
        sl_http_request_end(exchange);
    return 0;
}

int sl_http_request_piece(struct sl_http_exchange *exchange, const void *bytes, size_t len)
{
    exchange->http->counts.received_bytes += len;
    if (exchange->answered || exchange->body_ended || len == 0)
        return 0;
    if (exchange->route->body == SL_HTTP_BODY_STREAM) {
        sl_api_blob_piece(exchange, bytes, len);
        return 0;
    }
    if (exchange->route->body != SL_HTTP_BODY_JSON)
        return 0;
    if (uv_now(exchange->http->loop) - exchange->started_ms > MAX_JSON_S * 1000)
        return -1; /* drop by drop */
    return sl_buf_append(&exchange->body, bytes, len) < 0 ? -1 : 0;
}

void sl_http_request_end(struct sl_http_exchange *exchange)
{
    if (exchange->answered || exchange->body_ended)
        return;
    exchange->body_ended = true;
    if (exchange->route->body == SL_HTTP_BODY_STREAM) {
        sl_api_blob_end(exchange);
        if (!exchange->answered)
            sl_http_exchange_pause(exchange, true);
        return;
    }
    call_handler(exchange);
}

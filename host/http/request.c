/* host/http/request.c */
#include "host/http/request.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/http/api.h"
#include "host/http/connection.h"
#include "host/http/context.h"
#include "host/http/cors.h"
#include "host/http/exchange.h"
#include "host/http/reply.h"
#include "host/http/router.h"
#include "host/http/target.h"
#include "host/job/keeper.h"
#include "host/job/lab.h"
#include "host/job/peers.h"

enum { MAX_AUTHORIZATION_BYTES = 256 };

/* false: there is no token that lets in. */
static bool know_token(struct sl_http_exchange *exchange)
{
    char value[MAX_AUTHORIZATION_BYTES];
    const struct sl_token_record *token = NULL;
    bool reads = exchange->route->method == SL_HTTP_GET;
    if (sl_http_header(exchange, "authorization", value, sizeof(value)) == 0)
        token = sl_auth_find(&exchange->http->auth, value, reads, sl_clock_utc_ms());
    if (!token)
        return false;
    sl_http_connection_vouch(exchange->turn.connection);
    exchange->who = (struct sl_http_who){sl_auth_scopes(token), token->max_jobs, ""};
    memcpy(exchange->who.name, token->name, sizeof(exchange->who.name));
    return true;
}

/* The host of the store whose token came; NULL: none's. */
static const struct sl_host_record *asking_host(const struct sl_http_exchange *exchange)
{
    char value[MAX_AUTHORIZATION_BYTES];
    const struct sl_host_record *host, *found = NULL;
    if (sl_http_header(exchange, "authorization", value, sizeof(value)) < 0 || !value[0])
        return NULL;
    for (size_t place = 0;
         (host = sl_peers_next_host(sl_lab_peers(exchange->http->lab), &place));) {
        if (sl_auth_is(value, host->token_sha256))
            found = host;
    }
    return found;
}

/* Another host of the store may read, and fetch files. */
static bool know_host(struct sl_http_exchange *exchange)
{
    const struct sl_host_record *found = asking_host(exchange);
    if (!found)
        return false;
    sl_http_connection_vouch(exchange->turn.connection);
    exchange->who = (struct sl_http_who){SL_SCOPE_READ | SL_SCOPE_HOST, 0, ""};
    snprintf(exchange->who.name, sizeof(exchange->who.name), "host:%.58s", found->name);
    return true;
}

/* At a Unix socket its permissions decided who may come, and may do everything. A proxy before it
 * may bring another host's question, which is not sent on to a third. */
static void know_peer(struct sl_http_exchange *exchange)
{
    struct sl_http_who *who = &exchange->who;
    uint32_t user;
    who->scopes = SL_SCOPES_ALL | (asking_host(exchange) ? SL_SCOPE_HOST : 0);
    if (sl_http_connection_peer(exchange->turn.connection, &user) == 0)
        snprintf(who->name, sizeof(who->name), "uid:%u", (unsigned)user);
}

/* true: it may. false: answered with 401, 403, 429 or 503. */
static bool authorised(struct sl_http_exchange *exchange)
{
    char wanted[SL_SCOPES_BYTES], has[SL_SCOPES_BYTES];
    uint32_t scopes = exchange->route->scopes;
    bool trusted = sl_http_connection_is_trusted(exchange->turn.connection);
    if (trusted)
        know_peer(exchange);
    if (scopes == 0 || trusted || (know_host(exchange) && (exchange->who.scopes & scopes)))
        return true;
    if (!exchange->http->auth.loaded) {
        sl_http_problem(exchange, 503, "not-ready", "", "the tokens are not read yet");
        return false;
    }
    if (!know_token(exchange)) {
        sl_http_problem(exchange, 401, "unauthorised",
                        "send Authorization: Bearer TOKEN; sme2lab token add makes one",
                        "a token is needed here, and it must be known and not expired");
        return false;
    }
    uint64_t wait_ms =
        sl_http_rate_wait(&exchange->http->rate, exchange->who.name, uv_now(exchange->http->loop));
    if (wait_ms > 0) {
        sl_http_problem(exchange, 429, "too-fast", "send it again later",
                        "this token may send %u requests in a second; the next in %u ms",
                        exchange->http->rate.per_second, (unsigned)wait_ms);
        return false;
    }
    if (exchange->who.scopes & scopes)
        return true;
    sl_http_problem(exchange, 403, "forbidden", "ask for a token of that scope",
                    "this takes the scope %s; the token has %s", sl_scopes_words(scopes, wanted),
                    sl_scopes_words(exchange->who.scopes, has));
    return false;
}

/* false: answered with 429. A body that is not wanted would hold the connection's place too. */
static bool client_has_room(struct sl_http_exchange *exchange)
{
    struct sl_http_places *places = &exchange->http->places;
    if (exchange->route->scopes == 0)
        return true;
    exchange->has_place = sl_http_places_take(places, exchange->who.name);
    if (exchange->has_place)
        return true;
    exchange->turn.close_after |= exchange->has_body;
    sl_http_problem(exchange, 429, "too-many-requests",
                    "end one, a stream of events say, or send it again later",
                    "%u requests of this token or user may be under way at once", places->most);
    return false;
}

static const struct {
    int method;
    const char *name;
} methods[] = {{SL_HTTP_GET, "GET"},     {SL_HTTP_HEAD, "HEAD"},     {SL_HTTP_POST, "POST"},
               {SL_HTTP_PUT, "PUT"},     {SL_HTTP_DELETE, "DELETE"}, {SL_HTTP_OTHER, "OPTIONS"},
               {SL_HTTP_OTHER, "PATCH"}, {SL_HTTP_OTHER, "QUERY"},   {SL_HTTP_OTHER, "TRACE"}};

static void refuse_route(struct sl_http_exchange *exchange, int allowed)
{
    char allow[64] = "";
    if (strcmp(exchange->path, "*") == 0)
        allowed = SL_HTTP_GET | SL_HTTP_HEAD | SL_HTTP_POST | SL_HTTP_PUT | SL_HTTP_DELETE;
    if (allowed == 0) {
        sl_http_problem(exchange, 404, "not-found", "GET /api/v1/openapi.yaml lists what there is",
                        "there is nothing at %.200s", exchange->path);
        return;
    }
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        size_t len = strlen(allow);
        if (allowed & methods[i].method)
            snprintf(allow + len, sizeof(allow) - len, "%s%s", len ? ", " : "", methods[i].name);
    }
    if (sl_http_cors_preflight(exchange, allow))
        return;
    sl_http_reply_header(exchange, "allow", "%s", allow);
    sl_http_problem(exchange, 405, "wrong-method", "", "this path takes %s", allow);
}

static bool refuse_framing(struct sl_http_exchange *exchange, int status, const char *type,
                           const char *hint, const char *what)
{
    exchange->turn.close_after = true; /* nobody knows where the next request begins */
    sl_http_problem(exchange, status, type, hint, "%s", what);
    return false;
}

/* Reads how long the body is. false: answered. */
static bool read_length(struct sl_http_exchange *exchange)
{
    const char *length = sl_http_head_field(&exchange->head, "content-length");
    const char *coding = sl_http_head_field(&exchange->head, "transfer-encoding");
    if (!length || (length[0] && (!sl_http_number(length, &exchange->body_bytes) ||
                                  exchange->body_bytes > INT64_MAX)))
        return refuse_framing(exchange, 400, "bad-header", "", "Content-Length is not a number");
    if (coding && !coding[0]) {
        exchange->body_left = exchange->body_bytes;
        exchange->turn.read = exchange->body_bytes == 0;
        exchange->has_body = exchange->body_bytes > 0;
        exchange->has_length = length[0] != '\0';
        return true;
    }
    if (length[0] || exchange->head.minor == 0)
        return refuse_framing(exchange, 400, "bad-header", "send one of the two, in HTTP/1.1",
                              "Transfer-Encoding stands beside Content-Length or in HTTP/1.0");
    if (!coding || strcasecmp(coding, "chunked") != 0)
        return refuse_framing(exchange, 501, "not-implemented", "send chunks as they are",
                              "chunked is the only transfer coding here");
    exchange->has_body = exchange->chunked = true;
    exchange->turn.read = false;
    return true;
}

/* "close" among the words of Connection. */
static bool wants_close(const struct sl_http_head *head)
{
    for (size_t i = 0; i < head->count; i++) {
        if (strcmp(head->fields[i].name, "connection") != 0)
            continue;
        for (const char *word = head->fields[i].value; *word;) {
            size_t len = strcspn(word, ", \t");
            if (len == 5 && strncasecmp(word, "close", len) == 0)
                return true;
            word += len + strspn(word + len, ", \t");
        }
    }
    return false;
}

/* Reads what the head says of the connection and of the body. false: answered. */
static bool head_is_clear(struct sl_http_exchange *exchange)
{
    const struct sl_http_head *head = &exchange->head;
    const char *host = sl_http_head_field(head, "host");
    const char *expect = sl_http_head_field(head, "expect");
    exchange->turn.client_closes = head->minor == 0 || wants_close(head);
    if (!host || (!host[0] && head->minor > 0) || strpbrk(host, " \t/?#@,"))
        return refuse_framing(exchange, 400, "bad-header", "send Host: NAME or Host: NAME:PORT",
                              "there must be one Host, and it must be a name");
    if (!read_length(exchange))
        return false;
    exchange->expects_continue = expect && strcasecmp(expect, "100-continue") == 0;
    if (!expect || (expect[0] && !exchange->expects_continue))
        return refuse_framing(exchange, 417, "unknown-expectation", "send Expect: 100-continue",
                              "100-continue is the only expectation that is met here");
    exchange->expects_continue &= exchange->has_body && head->minor > 0;
    if (exchange->has_body || exchange->has_length ||
        !(exchange->method & (SL_HTTP_POST | SL_HTTP_PUT)))
        return true;
    sl_http_problem(exchange, 411, "length-required", "send Content-Length: 0 for no body",
                    "it is not clear how long the body is");
    return false;
}

static void refuse_size(struct sl_http_exchange *exchange)
{
    sl_http_problem(exchange, 413, "too-large", "models and inputs are blobs: PUT them",
                    "the body may have %d bytes at most", (int)SL_HTTP_MAX_JSON_BYTES);
}

/* false: answered with 413 or 415. */
static bool json_is_wanted(struct sl_http_exchange *exchange)
{
    static const char json[] = "application/json";
    char type[SL_HTTP_VALUE_BYTES];
    if (exchange->body_bytes > SL_HTTP_MAX_JSON_BYTES) {
        refuse_size(exchange);
        return false;
    }
    int rc = sl_http_header(exchange, "content-type", type, sizeof(type));
    size_t len = strcspn(type, "; ");
    if (!exchange->has_body ||
        (rc == 0 && len == sizeof(json) - 1 && strncasecmp(type, json, sizeof(json) - 1) == 0))
        return true;
    sl_http_problem(exchange, 415, "not-json", "send Content-Type: application/json",
                    "this takes JSON");
    return false;
}

/* false: answered with 400, 414, 501 or 505. */
static bool target_is_clear(struct sl_http_exchange *exchange)
{
    const char *why = "";
    int rc = sl_http_target_read(exchange->head.method, exchange->head.target, exchange->path,
                                 &exchange->query, &why);
    if (exchange->method == SL_HTTP_UNKNOWN) {
        exchange->turn.close_after = true; /* what follows a CONNECT is no HTTP */
        sl_http_problem(exchange, 501, "unknown-method", "", "the method %.40s is not known here",
                        exchange->head.method);
    } else if (rc == -414) {
        sl_http_problem(exchange, 414, "too-long", "", "a path has %d bytes at most",
                        SL_HTTP_PATH_BYTES - 1);
    } else if (rc < 0) {
        sl_http_problem(exchange, 400, "bad-request", "", "%s", why);
    }
    return !exchange->turn.answered;
}

/* false: answered with 503. Who is alive is told even now. */
static bool there_is_room(struct sl_http_exchange *exchange)
{
    if (!sl_http_connection_is_surplus(exchange->turn.connection))
        return true;
    exchange->turn.close_after = true;
    if (exchange->route && exchange->route->scopes == 0)
        return true;
    sl_http_problem(exchange, 503, "busy", "", "%d requests are being served already",
                    (int)SL_HTTP_MAX_CONNECTIONS);
    return false;
}

/* The request leaves bytes in the state: not a blob that is there. */
static bool takes_in(const struct sl_http_exchange *exchange)
{
    const struct sl_http_route *route = exchange->route;
    const char *name = exchange->param[0];
    uint64_t size;
    if (route->handler == sl_api_blob_put)
        return !sl_blobs_name_ok(name) ||
               sl_blobs_size(&exchange->http->blobs, name, false, &size) < 0;
    return route->handler == sl_api_job_post || route->handler == sl_api_run_post ||
           route->handler == sl_api_result_collect;
}

/* false: answered with 507. A body in chunks does not tell its length: each piece is asked for. */
static bool state_has_room(struct sl_http_exchange *exchange)
{
    char why[SL_KEEPER_WHY_BYTES];
    struct sl_keeper *keeper = exchange->http->keeper;
    uint64_t wanted = exchange->has_length ? exchange->body_bytes : 0;
    if (!takes_in(exchange) || !keeper || !sl_keeper_is_full(keeper, wanted, why))
        return true;
    sl_http_problem(exchange, 507, "disk-full", sl_http_room_hint, "%s", why);
    return false;
}

/* Finds the route and lets the request in; false: answered. */
static bool admit(struct sl_http_exchange *exchange)
{
    int allowed = 0;
    if (!head_is_clear(exchange) || !target_is_clear(exchange))
        return false;
    exchange->route =
        sl_http_find_route(exchange->method, exchange->path, exchange->param, &allowed);
    if (!there_is_room(exchange))
        return false;
    if (!exchange->route) {
        refuse_route(exchange, allowed);
        return false;
    }
    if (!authorised(exchange) || !client_has_room(exchange) || !state_has_room(exchange))
        return false;
    return exchange->route->body != SL_HTTP_BODY_JSON || json_is_wanted(exchange);
}

static int method_of(const char *name)
{
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        if (strcmp(methods[i].name, name) == 0)
            return methods[i].method;
    }
    return SL_HTTP_UNKNOWN;
}

/* false: answered. */
static bool read_head(struct sl_http_exchange *exchange, const char *head, size_t len)
{
    const char *why = "";
    exchange->head_text = sl_strndup(head, len);
    if (!exchange->head_text) {
        exchange->turn.close_after = true;
        sl_http_problem_of(exchange, -ENOMEM, NULL);
        return false;
    }
    int rc = sl_http_head_read(exchange->head_text, len, &exchange->head, &why);
    if (rc < 0) {
        sl_http_request_refuse(exchange, -rc, why);
        return false;
    }
    exchange->method = method_of(exchange->head.method);
    sl_http_cors_begin(exchange);
    return true;
}

static void end_body(struct sl_http_exchange *exchange)
{
    if (exchange->turn.answered || !exchange->turn.wants_more)
        return;
    exchange->turn.wants_more = false;
    if (exchange->route->body == SL_HTTP_BODY_STREAM)
        sl_api_blob_end(exchange);
    else
        exchange->route->handler(exchange);
}

void sl_http_request_begin(struct sl_http_exchange *exchange, const char *head, size_t len)
{
    if (!read_head(exchange, head, len))
        return;
    if (!admit(exchange)) {
        if (exchange->expects_continue || exchange->body_bytes > SL_HTTP_MAX_SKIPPED_BYTES)
            exchange->turn.close_after = true; /* what it still sends is not read */
        return;
    }
    int body = exchange->route->body;
    exchange->turn.wants_more = true;
    if (body == SL_HTTP_BODY_STREAM)
        exchange->route->handler(exchange);
    if (exchange->turn.answered)
        return;
    if (!exchange->has_body || body == SL_HTTP_BODY_NONE)
        end_body(exchange);
    else if (exchange->expects_continue)
        sl_http_connection_go_on(exchange->turn.connection);
}

void sl_http_request_refuse(struct sl_http_exchange *exchange, int status, const char *why)
{
    const char *type = status == 408   ? "timeout"
                       : status == 414 ? "too-long"
                       : status == 431 ? "headers-too-large"
                       : status == 505 ? "unknown-version"
                                       : "bad-request";
    exchange->turn.close_after = true;
    sl_http_problem(exchange, status, type, "", "%s", why);
}

static void take_piece(struct sl_http_exchange *exchange, struct sl_bytes piece)
{
    if (exchange->turn.answered || !exchange->turn.wants_more || piece.size == 0 ||
        (exchange->chunked && !state_has_room(exchange)))
        return;
    if (exchange->route->body == SL_HTTP_BODY_STREAM)
        sl_api_blob_piece(exchange, piece.data, piece.size);
    else if (exchange->body.size + piece.size > SL_HTTP_MAX_JSON_BYTES)
        refuse_size(exchange);
    else if (sl_buf_append(&exchange->body, piece.data, piece.size) < 0)
        sl_http_problem_of(exchange, -ENOMEM, NULL);
}

int sl_http_request_take(struct sl_http_exchange *exchange, struct sl_bytes bytes)
{
    struct sl_bytes piece = bytes;
    int len;
    if (exchange->chunked) {
        len = sl_http_chunks_take(&exchange->chunks, bytes, &piece);
        exchange->body_bytes += piece.size;
    } else {
        piece.size = bytes.size < exchange->body_left ? bytes.size : (size_t)exchange->body_left;
        exchange->body_left -= piece.size;
        len = (int)piece.size;
    }
    if (len < 0) {
        exchange->turn.close_after = true;
        if (!exchange->turn.answered && exchange->turn.wants_more)
            sl_http_request_refuse(exchange, 400, "its body is not in chunks as it says");
        return len;
    }
    take_piece(exchange, piece);
    exchange->turn.read = exchange->chunked ? exchange->chunks.ended : exchange->body_left == 0;
    if (exchange->turn.read)
        end_body(exchange);
    return len;
}

/* host/http/relay.c */
#include "host/http/relay.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "host/http/connection.h"
#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/reply.h"
#include "host/job/lab.h"
#include "host/job/peers.h"
#include "host/peer/call.h"
#include "host/store/store.h"

enum { MOST_BYTES = 256 << 10, GO_ON_BYTES = 64 << 10, MAX_LINES = 4 };

/* Owned by its exchange, as the source of its answer. */
struct relay {
    struct sl_http_exchange *exchange;
    struct sl_peer_call *call; /* NULL: it has ended */
    char host[SL_NAME_BYTES];
    struct sl_buf waiting; /* what the client has not taken */
    uint64_t left;         /* of the body, for the client */
    bool paused;
};

static void free_relay(void *user)
{
    struct relay *relay = user;
    if (relay->call)
        sl_peer_call_stop(relay->call);
    sl_buf_fini(&relay->waiting);
    sl_free(relay);
}

static size_t take(void *user, uint8_t *at, size_t room, bool *out_last)
{
    struct relay *relay = user;
    size_t taken = relay->waiting.size < room ? relay->waiting.size : room;
    if (taken > 0) {
        memcpy(at, relay->waiting.data, taken);
        relay->waiting.size -= taken;
        memmove(relay->waiting.data, relay->waiting.data + taken, relay->waiting.size);
    }
    relay->left -= taken < relay->left ? taken : relay->left;
    *out_last = relay->left == 0;
    if (relay->paused && relay->call && relay->waiting.size < GO_ON_BYTES) {
        relay->paused = false;
        sl_peer_call_go_on(relay->call);
    }
    return taken;
}

static const struct sl_http_stream_source source = {take, free_relay};

void sl_http_relay_refused(struct sl_http_exchange *exchange, const char *host, const char *why)
{
    sl_peer_counts(exchange->http->peers)->refused++;
    sl_http_problem(exchange, 503, "host-away",
                    "'sme2lab hosts' shows who is there; ask again when it is",
                    "the files are on host %s, which does not give them: %s", host, why);
}

/* Nothing of the other host's answer has been sent. */
static void refuse(struct relay *relay, const char *why)
{
    struct sl_http_exchange *exchange = relay->exchange;
    char host[SL_NAME_BYTES];
    memcpy(host, relay->host, sizeof(host));
    exchange->source = NULL;
    free_relay(relay);
    sl_http_relay_refused(exchange, host, why);
}

/* The answers that are about what was asked for, and not about us. */
static bool is_for_client(int status)
{
    return status == 200 || status == 206 || status == 304 || status == 404 || status == 409 ||
           status == 416;
}

/* The other host's bytes come under this one's address: in a browser they are nobody's, whatever
 * that host says of them. */
static void pass_headers(struct relay *relay)
{
    static const char *const names[] = {"content-type", "content-range", "etag", "accept-ranges",
                                        "cache-control"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = sl_peer_call_header(relay->call, names[i]);
        if (value)
            sl_http_reply_header(relay->exchange, names[i], "%s", value);
    }
    sl_http_reply_header(relay->exchange, "content-security-policy",
                         "sandbox allow-scripts allow-downloads; frame-ancestors 'none'");
    sl_http_reply_header(relay->exchange, "referrer-policy", "same-origin");
}

static void on_head(void *user, int status)
{
    struct relay *relay = user;
    struct sl_http_exchange *exchange = relay->exchange;
    const char *length = sl_peer_call_header(relay->call, "content-length");
    char why[64];
    if (!is_for_client(status) ||
        (status != 304 && !(length && sl_http_number(length, &relay->left)))) {
        snprintf(why, sizeof(why), "it answered %d%s", status,
                 is_for_client(status) ? " without a length" : "");
        refuse(relay, why);
        return;
    }
    pass_headers(relay);
    sl_peer_counts(exchange->http->peers)->relayed++;
    uint64_t bytes = relay->left;
    if (exchange->method == SL_HTTP_HEAD || bytes == 0) {
        exchange->source = NULL;
        free_relay(relay);
    }
    sl_http_reply_empty(exchange, status, bytes); /* with a source it has a body */
}

static bool on_body(void *user, const void *bytes, size_t len)
{
    struct relay *relay = user;
    relay->paused = relay->waiting.size >= MOST_BYTES;
    if (relay->paused)
        return false;
    if (sl_buf_append(&relay->waiting, bytes, len) < 0)
        sl_http_connection_cut(relay->exchange->turn.connection);
    else
        sl_http_connection_write(relay->exchange->turn.connection);
    return true;
}

static void on_ended(void *user, int rc, const char *why)
{
    struct relay *relay = user;
    relay->call = NULL;
    if (!relay->exchange->turn.answered)
        refuse(relay, rc < 0 ? why : "it said nothing");
    else if (relay->left > relay->waiting.size)
        sl_http_connection_cut(relay->exchange->turn.connection); /* the client must see it */
}

/* A part of the file, and what its client has already. Where its condition cannot be read there is
 * no part: the whole is right for every client. */
static size_t put_lines(const struct sl_http_exchange *exchange,
                        char lines[MAX_LINES][SL_HTTP_VALUE_BYTES + 32], const char *out[MAX_LINES])
{
    static const char *const names[] = {"if-none-match", "range", "if-range"};
    char value[SL_HTTP_VALUE_BYTES];
    size_t count = 0, wanted = sizeof(names) / sizeof(names[0]);
    if (sl_http_header(exchange, "if-range", value, sizeof(value)) < 0)
        wanted = 1;
    for (size_t i = 0; i < wanted; i++) {
        if (sl_http_header(exchange, names[i], value, sizeof(value)) < 0 || !value[0])
            continue;
        snprintf(lines[count], SL_HTTP_VALUE_BYTES + 32, "%s: %s", names[i], value);
        out[count] = lines[count];
        count++;
    }
    return count;
}

static int start(struct relay *relay, const char *url)
{
    static const struct sl_peer_call_events events = {on_head, on_body, on_ended};
    char lines[MAX_LINES][SL_HTTP_VALUE_BYTES + 32];
    const char *headers[MAX_LINES];
    const struct sl_http_exchange *exchange = relay->exchange;
    struct sl_peer_request request = {.url = url,
                                      .path = exchange->path,
                                      .query = exchange->query,
                                      .head = exchange->method == SL_HTTP_HEAD,
                                      .headers = headers};
    request.header_count = put_lines(exchange, lines, headers);
    return sl_peer_call_start(exchange->http->peers, &request, &events, relay, &relay->call);
}

static const struct sl_host_record *find_host(const struct sl_http_exchange *exchange,
                                              const char *name)
{
    size_t place = 0;
    const struct sl_host_record *host;
    while ((host = sl_peers_next_host(sl_lab_peers(exchange->http->lab), &place)) &&
           strcmp(host->name, name) != 0)
        ;
    return host;
}

bool sl_http_relay_is_due(const struct sl_http_exchange *exchange, const struct sl_run_record *run)
{
    char path[2 * SL_PATH_BYTES];
    struct sl_lab *lab = exchange->http->lab;
    const struct sl_store_host *own = sl_store_host_of(sl_lab_store(lab));
    if ((exchange->who.scopes & SL_SCOPE_HOST) || own->alone || !run->host[0] ||
        strcmp(run->host, own->name) == 0)
        return false;
    sl_path_join(path, sizeof(path), sl_lab_state_dir(lab), "%s", run->directory);
    return access(path, F_OK) < 0 && errno == ENOENT;
}

const char *sl_http_relay_url(const struct sl_http_exchange *exchange, const char *host)
{
    const struct sl_host_record *known = find_host(exchange, host);
    return known && exchange->http->peers && known->url[0] ? known->url : NULL;
}

void sl_http_relay(struct sl_http_exchange *exchange, const char *host)
{
    const struct sl_host_record *known = find_host(exchange, host);
    if (!known) {
        sl_http_problem(exchange, 503, "host-away", "ask again when that host is there",
                        "the files are on host %s, which is away", host);
        return;
    }
    const char *url = sl_http_relay_url(exchange, host);
    if (!url) {
        sl_http_problem(exchange, 409, "another-host",
                        "ask that host; or say in its configuration where others reach it: "
                        "\"peers\": {\"url\": \"https://HOST:PORT\"}; http:// does not count where "
                        "this host's own is https:// or it has \"certificates\"",
                        "the files are on host %s, which does not say where it is reached", host);
        return;
    }
    struct relay *relay = sl_calloc(1, sizeof(*relay));
    if (!relay) {
        sl_http_problem_of(exchange, -ENOMEM, NULL);
        return;
    }
    *relay = (struct relay){.exchange = exchange};
    snprintf(relay->host, sizeof(relay->host), "%s", host);
    sl_buf_init(&relay->waiting, 2 * MOST_BYTES);
    int rc = start(relay, url);
    if (rc < 0) {
        free_relay(relay);
        sl_http_problem_of(exchange, rc, NULL);
        return;
    }
    exchange->source = &source;
    exchange->source_user = relay;
    exchange->turn.close_after = true;
}

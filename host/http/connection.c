/* host/http/connection.c */
#include "host/http/connection.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/http/head.h"
#include "host/http/peer.h"

enum {
    IN_BYTES = 2 * SL_HTTP_MAX_HEAD_BYTES,
    OUT_BYTES = 16384,
    LINGER_MS = 2000,
    SURPLUS = 32, /* connections that may be open beyond those that may be busy */
    LINGER_MAX_BYTES = 32 << 20,
    PEER_BYTES = 8, /* of an address */
};

struct sl_http_connection {
    struct sl_http_clients *clients;            /* borrowed */
    struct sl_http_listener *listener;          /* of the server */
    struct sl_http_connection *previous, *next; /* of the server's list: the newest first */
    union sl_http_stream uv;
    uv_timer_t deadline;
    uint64_t body_by_ms; /* so much of the body must have come by then, of the loop's clock */
    uv_write_t write;
    uv_shutdown_t shutdown;
    struct sl_tls *tls;            /* owned; NULL: in the clear */
    uint8_t peer[PEER_BYTES];      /* zero for a Unix socket */
    bool has_user;                 /* `user` was asked for: it does not change */
    uint32_t user;                 /* at the other end of a Unix socket */
    struct sl_http_turn *turn;     /* NULL between requests */
    struct sl_http_head_scan scan; /* of the head that comes next */
    size_t start, end;             /* of what came and is not read yet, in `in` */
    uint64_t skipped_bytes;        /* of them, those nobody wanted; past the answer, all */
    int open_handles;
    bool has_asked; /* it sent a request, or was told what is wrong with it */
    bool vouched;   /* by a token */
    bool waited_for_head;
    bool reading, writing, last, answer_sent; /* last: nothing follows what is being written */
    bool ended;                               /* the client has sent all */
    bool busy;                                /* counted by the listener */
    bool sealed_came;                         /* over TLS: the client has sent something */
    bool sealing;                             /* over TLS: something is being written */
    bool lingering, doomed, closing;
    uint8_t in[IN_BYTES], out[OUT_BYTES];
};

static void serve(struct sl_http_connection *connection);
static void read_on(struct sl_http_connection *connection, bool on);

static void on_handle_closed(uv_handle_t *handle)
{
    struct sl_http_connection *connection = handle->data;
    if (--connection->open_handles > 0)
        return;
    struct sl_http_clients *clients = connection->clients;
    connection->listener->connections--;
    sl_tls_free(connection->tls);
    sl_free(connection);
    if (--clients->count == 0)
        clients->answers->emptied(clients->user);
}

/* The limits of requests count the bytes that are under way here. */
static void set_busy(struct sl_http_connection *connection, bool busy)
{
    if (busy && !connection->busy)
        connection->listener->busy++;
    else if (!busy && connection->busy)
        connection->listener->busy--;
    connection->busy = busy;
}

static void begin_turn(struct sl_http_connection *connection)
{
    struct sl_http_clients *clients = connection->clients;
    connection->has_asked = true;
    connection->turn = clients->answers->begin(clients->user, connection);
    set_busy(connection, connection->turn != NULL);
}

static void end_turn(struct sl_http_connection *connection)
{
    struct sl_http_turn *turn = connection->turn;
    set_busy(connection, false);
    connection->turn = NULL;
    connection->answer_sent = connection->last = false;
    connection->skipped_bytes = 0;
    if (turn)
        connection->clients->answers->end(turn);
}

/* The last words of TLS, as far as they leave at once. */
static void say_the_end(struct sl_http_connection *connection)
{
    const uint8_t *bytes;
    if (connection->sealing)
        return;
    sl_tls_end(connection->tls);
    size_t len = sl_tls_sealed(connection->tls, &bytes);
    uv_buf_t buf = uv_buf_init((char *)(uintptr_t)bytes, (unsigned)len);
    int sent = len > 0 ? uv_try_write(&connection->uv.stream, &buf, 1) : 0;
    if (sent > 0)
        connection->clients->sent_bytes += (uint64_t)sent;
}

static void tell_of_silence(struct sl_http_connection *connection)
{
    struct sl_http_clients *clients = connection->clients;
    const char *fault = connection->tls ? sl_tls_fault(connection->tls) : NULL;
    char why[160] = "it sent no request that can be read";
    if (connection->has_asked || clients->closing)
        return;
    if (fault)
        snprintf(why, sizeof(why), "TLS could not be agreed on: %s", fault);
    sl_http_refusal_tell(&clients->refusals, uv_now(clients->loop), 0, "", why);
}

static void close_now(struct sl_http_connection *connection)
{
    if (connection->closing)
        return;
    struct sl_http_clients *clients = connection->clients;
    connection->closing = true;
    if (connection->tls)
        say_the_end(connection);
    tell_of_silence(connection);
    end_turn(connection);
    if (connection->previous)
        connection->previous->next = connection->next;
    else
        clients->newest = connection->next;
    if (connection->next)
        connection->next->previous = connection->previous;
    uv_close(&connection->uv.handle, on_handle_closed);
    uv_close((uv_handle_t *)&connection->deadline, on_handle_closed);
}

/* A request that came in part, and no more of it: 408. */
static void give_up_waiting(struct sl_http_connection *connection)
{
    if (!connection->turn && connection->start == connection->end) {
        close_now(connection); /* it only was silent */
        return;
    }
    if (!connection->turn)
        begin_turn(connection);
    connection->start = connection->end = 0;
    if (connection->turn)
        connection->clients->answers->refuse(connection->turn, 408,
                                             "the request did not end in time");
    else
        close_now(connection);
}

static void on_deadline(uv_timer_t *timer)
{
    struct sl_http_connection *connection = timer->data;
    const struct sl_http_turn *turn = connection->turn;
    if (connection->lingering || connection->writing || (turn && turn->answered))
        close_now(connection);
    else
        give_up_waiting(connection);
}

static void wait_at_most(struct sl_http_connection *connection, uint64_t ms)
{
    if (!connection->doomed && !connection->closing)
        uv_timer_start(&connection->deadline, on_deadline, ms, 0);
}

static void wait_for_ever(struct sl_http_connection *connection)
{
    if (!connection->doomed)
        uv_timer_stop(&connection->deadline);
}

static void on_cut(uv_timer_t *timer)
{
    close_now(timer->data);
}

void sl_http_connection_cut(struct sl_http_connection *connection)
{
    if (connection->closing)
        return;
    connection->doomed = true;
    uv_timer_start(&connection->deadline, on_cut, 0, 0);
}

/* The next request must have come by then: its head, from its first byte on. */
static void wait_for_head(struct sl_http_connection *connection)
{
    unsigned timeout_s = connection->clients->timeout_s;
    bool begun = connection->end > connection->start || !connection->has_asked;
    if (begun && connection->waited_for_head)
        return; /* drop by drop is not faster */
    connection->waited_for_head = begun;
    if (begun && timeout_s > SL_HTTP_HEAD_S)
        timeout_s = SL_HTTP_HEAD_S;
    wait_at_most(connection, timeout_s * 1000ull);
}

/* Returns how many bytes fit behind what is not read yet. */
static size_t make_room(struct sl_http_connection *connection)
{
    if (connection->start > 0) {
        connection->end -= connection->start;
        memmove(connection->in, connection->in + connection->start, connection->end);
        connection->start = 0;
    }
    return IN_BYTES - connection->end;
}

static void give_room(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
    struct sl_http_connection *connection = handle->data;
    struct sl_http_clients *clients = connection->clients;
    (void)suggested;
    size_t room = make_room(connection);
    *out = connection->tls ? uv_buf_init((char *)clients->sealed, sizeof(clients->sealed))
                           : uv_buf_init((char *)connection->in + connection->end, (unsigned)room);
}

/* The client has sent its last byte. What it asked for as a whole is still answered. */
static void on_end(struct sl_http_connection *connection)
{
    const struct sl_http_turn *turn = connection->turn;
    bool awaits =
        turn && !turn->streams && !connection->answer_sent && (turn->answered || turn->read);
    uv_read_stop(&connection->uv.stream);
    connection->reading = false;
    connection->ended = true;
    if (!awaits)
        close_now(connection);
}

static void on_sealed_sent(uv_write_t *write, int status);

static void send_sealed(struct sl_http_connection *connection)
{
    const uint8_t *bytes;
    size_t len =
        connection->sealing || connection->closing ? 0 : sl_tls_sealed(connection->tls, &bytes);
    if (len == 0)
        return;
    uv_buf_t buf = uv_buf_init((char *)(uintptr_t)bytes, (unsigned)len);
    connection->write.data = connection;
    connection->clients->sent_bytes += len;
    if (uv_write(&connection->write, &connection->uv.stream, &buf, 1, on_sealed_sent) < 0)
        sl_http_connection_cut(connection);
    else
        connection->sealing = true;
}

/* Opens what has come, as long as it is read. true: there are more bytes for serve(). */
static bool unseal(struct sl_http_connection *connection)
{
    if (!connection->tls || !connection->reading || connection->closing || connection->doomed)
        return false;
    size_t room = make_room(connection);
    int len = sl_tls_read(connection->tls, connection->in + connection->end, room);
    send_sealed(connection); /* the handshake's answers */
    if (len > 0)
        connection->end += (size_t)len;
    else if (len == SL_E_STATE)
        on_end(connection);
    else if (len < 0 || room == 0)
        close_now(connection);
    return len > 0;
}

static void refuse_head(struct sl_http_connection *connection, int status, const char *why);

/* A client that begins with a method does not speak TLS; it can read an answer that does not
 * either. true: so it is. */
static bool is_in_the_clear(struct sl_http_connection *connection, const char *bytes)
{
    bool clear = !connection->sealed_came && bytes[0] >= 'A' && bytes[0] <= 'Z';
    connection->sealed_came = true;
    if (!clear)
        return false;
    sl_tls_free(connection->tls);
    connection->tls = NULL;
    refuse_head(connection, 400, "this port speaks TLS alone: ask for https://");
    return true;
}

static void take_sealed(struct sl_http_connection *connection, const char *bytes, size_t len)
{
    if (is_in_the_clear(connection, bytes))
        read_on(connection, false);
    else if (sl_tls_feed(connection->tls, bytes, len) < 0)
        close_now(connection);
    else if (unseal(connection))
        serve(connection);
}

static void on_read(uv_stream_t *stream, ssize_t len, const uv_buf_t *buf)
{
    struct sl_http_connection *connection = stream->data;
    if (len == 0)
        return;
    if (len == UV_EOF) {
        on_end(connection);
        return;
    }
    if (len < 0) {
        close_now(connection);
        return;
    }
    connection->clients->received_bytes += (uint64_t)len;
    if (connection->tls) {
        take_sealed(connection, buf->base, (size_t)len);
        return;
    }
    connection->end += (size_t)len;
    serve(connection);
}

static void read_on(struct sl_http_connection *connection, bool on)
{
    if (on == connection->reading || connection->ended || connection->closing)
        return;
    connection->reading = on;
    if (on && uv_read_start(&connection->uv.stream, give_room, on_read) < 0)
        sl_http_connection_cut(connection);
    else if (!on)
        uv_read_stop(&connection->uv.stream);
}

static void on_shut(uv_shutdown_t *shutdown, int status)
{
    struct sl_http_connection *connection = shutdown->data;
    if (status < 0 && !connection->closing)
        close_now(connection);
}

/* Shuts our side down, where TLS still writes later on; false when it cannot be. */
static bool end_our_side(struct sl_http_connection *connection)
{
    connection->shutdown.data = connection;
    return connection->sealing ||
           uv_shutdown(&connection->shutdown, &connection->uv.stream, on_shut) == 0;
}

/* A connection that is closed with bytes unread takes the answer away from a client that has not
 * read it yet. */
static void linger(struct sl_http_connection *connection)
{
    end_turn(connection);
    connection->lingering = true;
    connection->start = connection->end = 0;
    if (connection->tls) {
        sl_tls_end(connection->tls);
        send_sealed(connection); /* our side ends behind it */
    }
    if (connection->ended || !end_our_side(connection)) {
        close_now(connection);
        return;
    }
    wait_at_most(connection, LINGER_MS);
    read_on(connection, true);
}

/* The answer is on the wire. */
static void answer_is_sent(struct sl_http_connection *connection)
{
    struct sl_http_turn *turn = connection->turn;
    connection->answer_sent = true;
    set_busy(connection, false);
    if (turn->close_after || turn->client_closes || connection->ended) {
        linger(connection);
        return;
    }
    if (turn->read)
        end_turn(connection);
    else
        wait_at_most(connection, connection->clients->timeout_s * 1000ull);
    serve(connection);
}

static void write_next(struct sl_http_connection *connection);
static void wait_for_body(struct sl_http_connection *connection);

static void on_written(uv_write_t *write, int status)
{
    struct sl_http_connection *connection = write->data;
    connection->writing = false;
    if (connection->closing)
        return;
    if (status < 0)
        close_now(connection);
    else if (connection->last)
        answer_is_sent(connection);
    else if (connection->turn->answered)
        write_next(connection);
    else
        wait_for_body(connection); /* it was "100 Continue" */
}

static void on_sealed_sent(uv_write_t *write, int status)
{
    struct sl_http_connection *connection = write->data;
    connection->sealing = false;
    if (connection->closing)
        return;
    if (status < 0) {
        close_now(connection);
        return;
    }
    send_sealed(connection);
    if (connection->sealing)
        return;
    if (connection->writing)
        on_written(write, 0);
    else if (connection->lingering && !end_our_side(connection))
        close_now(connection);
}

static void write_bytes(struct sl_http_connection *connection, const void *bytes, size_t len)
{
    uv_buf_t buf = uv_buf_init((char *)(uintptr_t)bytes, (unsigned)len);
    connection->write.data = connection;
    connection->clients->sent_bytes += connection->tls ? 0 : len;
    int rc = connection->tls
                 ? sl_tls_write(connection->tls, bytes, len)
                 : uv_write(&connection->write, &connection->uv.stream, &buf, 1, on_written);
    if (rc < 0) {
        sl_http_connection_cut(connection);
        return;
    }
    connection->writing = true;
    wait_at_most(connection, connection->clients->timeout_s * 1000ull);
    if (connection->tls)
        send_sealed(connection);
}

/* Files go from the system's memory to the client's; over TLS they must be sealed here. */
static void pass_on(struct sl_http_connection *connection)
{
    uv_os_fd_t socket;
    if (!connection->tls && uv_fileno(&connection->uv.handle, &socket) == 0)
        connection->clients->sent_bytes +=
            connection->clients->answers->pass(connection->turn, socket);
}

static void write_next(struct sl_http_connection *connection)
{
    struct sl_http_turn *turn = connection->turn;
    bool last = false;
    pass_on(connection);
    int len = connection->clients->answers->next(turn, connection->out, OUT_BYTES, &last);
    connection->last = last;
    if (len > 0) {
        write_bytes(connection, connection->out, (size_t)len);
        return;
    }
    if (len < 0 || last) { /* the end of a stream is the end of its connection */
        sl_http_connection_cut(connection);
        return;
    }
    wait_for_ever(connection); /* a stream without news may wait */
    read_on(connection, true); /* its client's leaving shows */
}

void sl_http_connection_write(struct sl_http_connection *connection)
{
    if (!connection->closing && !connection->writing && !connection->answer_sent)
        write_next(connection);
}

void sl_http_connection_go_on(struct sl_http_connection *connection)
{
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
    if (connection->start == connection->end) /* it has not begun to send all the same */
        write_bytes(connection, text, sizeof(text) - 1);
}

/* A request that cannot be read is answered too. */
static void refuse_head(struct sl_http_connection *connection, int status, const char *why)
{
    begin_turn(connection);
    connection->start = connection->end = 0;
    if (connection->turn)
        connection->clients->answers->refuse(connection->turn, status, why);
    else
        sl_http_connection_cut(connection);
}

static uint64_t latest_body_ms(const struct sl_http_connection *connection)
{
    return uv_now(connection->clients->loop) +
           SL_HTTP_BODY_TIMEOUTS * connection->clients->timeout_s * 1000ull;
}

/* Bytes earn time, which cannot be saved up: a body must come with a least rate throughout. */
static void earn_time(struct sl_http_connection *connection, uint64_t bytes)
{
    uint64_t latest_ms = latest_body_ms(connection);
    connection->body_by_ms += bytes * 1000 / SL_HTTP_LEAST_BODY_RATE;
    if (connection->body_by_ms > latest_ms)
        connection->body_by_ms = latest_ms;
}

/* The deadline while a body comes that is wanted: each piece moves it, and the last one ends it. */
static void wait_for_body(struct sl_http_connection *connection)
{
    const struct sl_http_turn *turn = connection->turn;
    uint64_t ms = connection->clients->timeout_s * 1000ull;
    uint64_t now_ms = uv_now(connection->clients->loop);
    if (turn->answered || connection->writing)
        return;
    if (!turn->wants_more) {
        wait_for_ever(connection);
        return;
    }
    uint64_t left_ms = connection->body_by_ms > now_ms ? connection->body_by_ms - now_ms : 0;
    wait_at_most(connection, left_ms < ms ? left_ms : ms);
}

/* false: there is none as a whole, or it was refused. */
static bool take_head(struct sl_http_connection *connection)
{
    const uint8_t *at = connection->in + connection->start;
    size_t size = connection->end - connection->start;
    int len = sl_http_head_find(&connection->scan, at, size);
    if (len == 0)
        return false;
    memset(&connection->scan, 0, sizeof(connection->scan));
    if (len < 0) {
        refuse_head(connection, -len, "it sent no request that can be read");
        return false;
    }
    connection->waited_for_head = false;
    connection->start += (size_t)len;
    wait_for_ever(connection);
    begin_turn(connection);
    if (!connection->turn) {
        sl_http_connection_cut(connection);
        return false;
    }
    connection->clients->answers->head(connection->turn, (const char *)at, (size_t)len);
    connection->body_by_ms = latest_body_ms(connection);
    wait_for_body(connection);
    return true;
}

/* false: no more of it is there. */
static bool take_body(struct sl_http_connection *connection)
{
    struct sl_http_turn *turn = connection->turn;
    struct sl_bytes there = {connection->in + connection->start,
                             connection->end - connection->start};
    if (there.size == 0)
        return false;
    bool wanted = !turn->answered;
    int len = connection->clients->answers->take(turn, there);
    if (len < 0) {
        connection->start = connection->end = 0;
        if (connection->answer_sent)
            linger(connection);
        return false;
    }
    connection->start += (size_t)len;
    earn_time(connection, (uint64_t)len);
    connection->skipped_bytes += wanted ? 0 : (uint64_t)len;
    if (connection->skipped_bytes > SL_HTTP_MAX_SKIPPED_BYTES)
        turn->close_after = true;
    if (turn->close_after && connection->answer_sent) {
        linger(connection);
        return false;
    }
    wait_for_body(connection);
    if (connection->answer_sent && turn->read)
        end_turn(connection);
    return true;
}

static void drop_input(struct sl_http_connection *connection)
{
    connection->skipped_bytes += connection->end - connection->start;
    connection->start = connection->end = 0;
    if (connection->lingering && connection->skipped_bytes > LINGER_MAX_BYTES)
        close_now(connection);
}

static void serve_there(struct sl_http_connection *connection)
{
    for (bool more = true;
         more && !connection->doomed && !connection->closing && !connection->lingering;) {
        const struct sl_http_turn *turn = connection->turn;
        if (!turn)
            more = take_head(connection);
        else
            more = !turn->read && take_body(connection);
    }
    if (connection->closing)
        return;
    const struct sl_http_turn *turn = connection->turn;
    bool drops = connection->lingering || (turn && turn->streams);
    if (drops)
        drop_input(connection);
    if (!turn && !connection->lingering)
        wait_for_head(connection);
    if (!connection->closing)
        read_on(connection, !turn || drops || !turn->read);
}

/* Goes on with what has come as far as it goes. */
static void serve(struct sl_http_connection *connection)
{
    do
        serve_there(connection);
    while (unseal(connection));
}

int sl_http_connection_peer(struct sl_http_connection *connection, uint32_t *out_user)
{
    uv_os_fd_t fd;
    int rc = connection->has_user ? 0 : uv_fileno(&connection->uv.handle, &fd);
    if (rc == 0 && !connection->has_user)
        rc = sl_http_peer_user(fd, &connection->user);
    connection->has_user = rc == 0;
    if (rc == 0)
        *out_user = connection->user;
    return rc;
}

bool sl_http_connection_is_trusted(const struct sl_http_connection *connection)
{
    return connection->listener->path[0] != '\0';
}

void sl_http_connection_vouch(struct sl_http_connection *connection)
{
    connection->vouched = true;
}

struct sl_http_listener *sl_http_connection_listener(const struct sl_http_connection *connection)
{
    return connection->listener;
}

/* An address of IPv4 is one client, of IPv6 the network is: its addresses are all one machine's to
 * choose. */
static void learn_peer(struct sl_http_connection *connection)
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff}; /* before an address of IPv4 */
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_storage storage;
    } name = {0};
    int len = sizeof(name);
    if (sl_http_connection_is_trusted(connection) ||
        uv_tcp_getpeername(&connection->uv.tcp, &name.any, &len) < 0)
        return;
    uv_tcp_nodelay(&connection->uv.tcp, 1);
    if (name.any.sa_family != AF_INET6) { /* as IPv6 writes it, without its first half */
        memcpy(connection->peer, mapped + sizeof(mapped) - PEER_BYTES / 2, PEER_BYTES / 2);
        memcpy(connection->peer + PEER_BYTES / 2, &name.v4.sin_addr, PEER_BYTES / 2);
        return;
    }
    const uint8_t *at = name.v6.sin6_addr.s6_addr;
    bool is_v4 = memcmp(at, mapped, sizeof(mapped)) == 0;
    memcpy(connection->peer, is_v4 ? at + PEER_BYTES : at, PEER_BYTES);
}

/* A handshake costs far more than the connection that it is asked on. */
static bool may_shake_hands(const struct sl_http_connection *connection)
{
    struct sl_http_clients *clients = connection->clients;
    char name[2 * PEER_BYTES + 1];
    for (size_t i = 0; i < PEER_BYTES; i++)
        snprintf(name + 2 * i, 3, "%02x", connection->peer[i]);
    clients->handshakes.per_second = SL_HTTP_HANDSHAKES_A_SECOND;
    if (sl_http_rate_wait(&clients->handshakes, name, uv_now(clients->loop)) == 0)
        return true;
    sl_http_refusal_tell(&clients->refusals, uv_now(clients->loop), 0, "",
                         "its address begins too many TLS handshakes in a second");
    return false;
}

/* Who can be sent away without a loss, the lower the sooner; -1: not he. */
static int ease_of_leaving(const struct sl_http_connection *connection)
{
    if (connection->lingering)
        return 0;
    if (connection->busy)
        return -1;
    return connection->vouched ? 2 : 1;
}

static bool same_peer(const struct sl_http_connection *a, const struct sl_http_connection *b)
{
    return a->listener == b->listener && memcmp(a->peer, b->peer, PEER_BYTES) == 0;
}

/* The oldest that has nothing under way gives way, one without a token before one with. */
static void make_way(struct sl_http_connection *newcomer, bool of_peer)
{
    struct sl_http_connection *found = newcomer;
    int ease = 3;
    for (struct sl_http_connection *at = newcomer->next; at; at = at->next) {
        int rank = ease_of_leaving(at);
        if (at->listener != newcomer->listener || rank < 0 || rank > ease ||
            (of_peer && !same_peer(at, newcomer)))
            continue;
        found = at; /* the list is from new to old */
        ease = rank;
    }
    close_now(found);
}

static size_t count_of_peer(const struct sl_http_connection *connection, bool busy_alone)
{
    size_t count = 0;
    for (const struct sl_http_connection *at = connection->clients->newest; at; at = at->next)
        count += same_peer(at, connection) && (at->busy || !busy_alone);
    return count;
}

bool sl_http_connection_is_surplus(const struct sl_http_connection *connection)
{
    const struct sl_http_listener *listener = connection->listener;
    return listener->busy > SL_HTTP_MAX_CONNECTIONS ||
           (listener->busy > SL_HTTP_MAX_PEER_CONNECTIONS &&
            !sl_http_connection_is_trusted(connection) &&
            count_of_peer(connection, true) > SL_HTTP_MAX_PEER_CONNECTIONS);
}

static void keep_to_limits(struct sl_http_connection *newcomer)
{
    size_t open = newcomer->listener->connections;
    if (open > SL_HTTP_MAX_CONNECTIONS + SURPLUS)
        make_way(newcomer, false);
    else if (open > SL_HTTP_MAX_PEER_CONNECTIONS + SURPLUS &&
             !sl_http_connection_is_trusted(newcomer) &&
             count_of_peer(newcomer, false) > SL_HTTP_MAX_PEER_CONNECTIONS + SURPLUS)
        make_way(newcomer, true);
}

static int init_stream(struct sl_http_connection *connection)
{
    uv_loop_t *loop = connection->clients->loop;
    int rc = sl_http_connection_is_trusted(connection) ? uv_pipe_init(loop, &connection->uv.pipe, 0)
                                                       : uv_tcp_init(loop, &connection->uv.tcp);
    if (rc < 0)
        return rc;
    uv_timer_init(loop, &connection->deadline);
    connection->uv.handle.data = connection->deadline.data = connection;
    connection->open_handles = 2;
    return 0;
}

static struct sl_http_connection *new_connection(struct sl_http_listener *listener)
{
    struct sl_http_clients *clients = listener->clients;
    struct sl_http_connection *connection = sl_malloc(1, sizeof(*connection));
    if (!connection)
        return NULL;
    memset(connection, 0, offsetof(struct sl_http_connection, in));
    connection->clients = clients;
    connection->listener = listener;
    if (init_stream(connection) < 0) {
        sl_free(connection);
        return NULL;
    }
    connection->next = clients->newest;
    if (clients->newest)
        clients->newest->previous = connection;
    clients->newest = connection;
    clients->count++;
    listener->connections++;
    return connection;
}

int sl_http_connection_accept(struct sl_http_listener *listener)
{
    struct sl_http_connection *connection = new_connection(listener);
    if (!connection)
        return -ENOMEM;
    if (uv_accept(&listener->uv.stream, &connection->uv.stream) < 0) {
        connection->has_asked = true; /* it is nobody's fault */
        close_now(connection);
        return 0;
    }
    listener->clients->accepted++;
    learn_peer(connection);
    if (listener->identity &&
        (!may_shake_hands(connection) || sl_tls_new(listener->identity, &connection->tls) < 0)) {
        connection->has_asked = true; /* all is said, or our memory is short: not its fault */
        close_now(connection);
    }
    if (!connection->closing)
        keep_to_limits(connection);
    if (!connection->closing)
        serve(connection);
    return 0;
}

void sl_http_connections_close(struct sl_http_clients *clients)
{
    clients->closing = true;
    while (clients->newest)
        close_now(clients->newest);
}

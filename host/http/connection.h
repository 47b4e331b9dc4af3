/* host/http/connection.h: clients: their bytes in and out on libuv, one request at a time. It does
 * not know what is asked: that is for those who answer.
 *
 * Bytes after a request stay unread until its answer is on the wire. An answer after which nobody
 * knows where the next request begins is the last: our side ends, and throws away further bytes for
 * a while, so that the client can read the answer. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "common/base/bytes.h"
#include "host/http/rate.h"
#include "host/http/refusal.h"
#include "host/http/tls.h"
#include "host/records.h"

struct sl_http_connection;

enum {
    /* Limits of each listener. Requests under way: one more is surplus. Connections without one
     * give way to newer ones. */
    SL_HTTP_MAX_CONNECTIONS = 640,
    SL_HTTP_MAX_PEER_CONNECTIONS = 512, /* of them from one address */
    SL_HTTP_HANDSHAKES_A_SECOND = 100,  /* of TLS, that one address may begin */
    SL_HTTP_HEAD_S = 5, /* for a whole head to come, on a new connection with the handshake too */
    SL_HTTP_LEAST_BODY_RATE = 16 << 10,   /* bytes/s of a body that is wanted, over ... */
    SL_HTTP_BODY_TIMEOUTS = 3,            /* ... so many time-outs of a client that does not send */
    SL_HTTP_MAX_SKIPPED_BYTES = 16 << 20, /* of a body that nobody wants */
};

/* A request under way and its answer, as both sides see it; who answers embeds it first in what is
 * his. */
struct sl_http_turn {
    struct sl_http_connection *connection; /* NULL: the client has gone */
    bool read;                             /* all of its bytes have come */
    bool wants_more;                       /* it cannot be answered before more of them come */
    bool answered;                         /* there is something to send */
    bool streams;       /* the answer may wait for news; the client's leaving ends it */
    bool close_after;   /* the connection cannot be used again */
    bool client_closes; /* or its client will not */
};

struct sl_http_answers {
    /* A request begins: a fresh turn, `read` is true. NULL: there is no memory. */
    struct sl_http_turn *(*begin)(void *user, struct sl_http_connection *connection);
    /* Its head, borrowed. */
    void (*head)(struct sl_http_turn *turn, const char *head, size_t len);
    /* Answers instead, by this status of HTTP; the connection ends. */
    void (*refuse)(struct sl_http_turn *turn, int status, const char *why);
    /* The next bytes of its body, borrowed, until `read`, also after the answer. How many of them
     * are its; negative: nobody knows, and if there is no answer yet, none can come. */
    int (*take)(struct sl_http_turn *turn, struct sl_bytes bytes);
    /* The next bytes of the answer: how many, and whether they are the last. Negative: it breaks
     * off. */
    int (*next)(struct sl_http_turn *turn, uint8_t *at, size_t room, bool *out_last);
    /* Is called before `next`, while nothing is being written to the socket: passes some of a file
     * to it, and returns how many bytes. */
    size_t (*pass)(struct sl_http_turn *turn, int socket);
    /* All is said, or the client has gone; `connection` is not to be used any more. */
    void (*end)(struct sl_http_turn *turn);
    /* The last connection is gone. */
    void (*emptied)(void *user);
};

/* All clients of a server. */
struct sl_http_clients {
    uv_loop_t *loop; /* borrowed */
    const struct sl_http_answers *answers;
    void *user;
    unsigned timeout_s;                            /* for a client that neither reads nor sends */
    struct sl_http_connection *newest;             /* of the list */
    size_t count;                                  /* open */
    uint64_t accepted, sent_bytes, received_bytes; /* so far; over TLS the sealed ones */
    struct sl_http_refusals refusals;
    struct sl_http_rate handshakes; /* of TLS, by address */
    bool closing;
    uint8_t sealed[SL_TLS_MAX_PLAIN_BYTES]; /* what came on one of them, until it is opened */
};

union sl_http_stream {
    uv_handle_t handle;
    uv_stream_t stream;
    uv_tcp_t tcp;
    uv_pipe_t pipe; /* a Unix socket */
};

struct sl_http_listener {
    union sl_http_stream uv;
    struct sl_http_clients *clients;  /* borrowed */
    char path[SL_PATH_BYTES];         /* of a Unix socket; "" for TCP */
    struct sl_tls_identity *identity; /* borrowed; NULL: it speaks in the clear */
    size_t connections;               /* open */
    size_t busy, streams; /* of them: with a request under way; with a stream of events */
    bool open;
};

/* A client waits at the listener. -ENOMEM: it still does. */
int sl_http_connection_accept(struct sl_http_listener *listener);

/* The turn is answered, or its stream has more. Never ends the connection inside the call. */
void sl_http_connection_write(struct sl_http_connection *connection);

/* "100 Continue", unless the client has begun to send all the same. */
void sl_http_connection_go_on(struct sl_http_connection *connection);

/* Ends it from the loop, whatever is unsaid. */
void sl_http_connection_cut(struct sl_http_connection *connection);

/* The user at the other end of a Unix socket, as the kernel knows it: 0, or -errno. */
int sl_http_connection_peer(struct sl_http_connection *connection, uint32_t *out_user);
/* Who got through a Unix socket's permissions may do everything. */
bool sl_http_connection_is_trusted(const struct sl_http_connection *connection);
/* It asks while as many as may are being served, at its listener or of its peer. */
bool sl_http_connection_is_surplus(const struct sl_http_connection *connection);
/* It has shown a token; others give way before it. */
void sl_http_connection_vouch(struct sl_http_connection *connection);

struct sl_http_listener *sl_http_connection_listener(const struct sl_http_connection *connection);

/* All at once. Their handles follow from the loop: `count` tells, and `emptied`. */
void sl_http_connections_close(struct sl_http_clients *clients);

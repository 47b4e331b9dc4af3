/* common/net/channel.h: one connection between host and agent on a libuv loop: frames, handshake,
 * pings, back-pressure.
 *
 * Everything happens on the loop's thread. No callback fires inside the call that registered it;
 * `closed` is the terminal one, fires exactly once for each channel that sl_channel_new() made, and
 * may free the owner. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct uv_loop_s uv_loop_t;
typedef struct uv_stream_s uv_stream_t;
typedef struct Sme2lab__Proto__Envelope Sme2lab__Proto__Envelope;
struct sl_address;
struct sl_channel;

enum {
    SL_CHANNEL_HANDSHAKE_MS = 5000,   /* a peer that has not proven itself by then is dropped */
    SL_CHANNEL_PING_MS = 5000,        /* silence after which a ping goes out ... */
    SL_CHANNEL_DEAD_MS = 20000,       /* ... and after which the peer counts as gone */
    SL_CHANNEL_WATCH_MS = 250,        /* between two pings while the peer's clock is watched */
    SL_CHANNEL_QUEUE_BYTES = 4 << 20, /* of unsent frames; above it sending is refused */
};

struct sl_channel_events {
    void (*ready)(void *user); /* both sides are proven */
    /* Borrowed. Of pongs only those that say the peer's time. */
    void (*message)(void *user, const Sme2lab__Proto__Envelope *envelope);
    void (*writable)(
        void *user); /* a send was refused before, and half the queue is free again; may be NULL */
    void (*closed)(void *user, int code,
                   const char *reason); /* 0: by sl_channel_close() or the peer's orderly end */
};

struct sl_channel_options {
    int role;              /* enum sl_role */
    const uint8_t *secret; /* SL_SECRET_BYTES, copied */
    const char *software;  /* copied into the hello */
    bool sealed;           /* the link leaves the machine: each frame is to carry a MAC */
};

/* 0, -ENOMEM or libuv's code; then nothing is called back. */
int sl_channel_new(uv_loop_t *loop, const struct sl_channel_options *options,
                   const struct sl_channel_events *events, void *user, struct sl_channel **out);

/* Either way to start; a failure comes out of `closed`. */
void sl_channel_connect(struct sl_channel *channel, const struct sl_address *address);
void sl_channel_open_fd(struct sl_channel *channel,
                        int fd); /* moves a connected stream socket in */

/* Queues a message. SL_E_FULL above the limit: wait for `writable`. SL_E_STATE before `ready` or
 * when closing. */
int sl_channel_send(struct sl_channel *channel, const Sme2lab__Proto__Envelope *envelope);
/* The same of a message of few bytes, for which there is room above the limit too. */
int sl_channel_tell(struct sl_channel *channel, const Sme2lab__Proto__Envelope *envelope);
/* Returns the peer's name for itself, once ready: printable. */
const char *sl_channel_peer(const struct sl_channel *channel);
size_t sl_channel_queued_bytes(const struct sl_channel *channel);

/* Asks the peer of a ready channel for its time, now and every SL_CHANNEL_WATCH_MS. */
void sl_channel_watch_clock(struct sl_channel *channel, bool watch);

/* Back-pressure towards the peer: bytes stay in the socket until resumed. Pings are not answered
 * meanwhile. */
void sl_channel_pause(struct sl_channel *channel);
void sl_channel_resume(struct sl_channel *channel);

/* Ends it: idempotent; what is queued is not waited for. */
void sl_channel_close(struct sl_channel *channel);
